import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientFormOf } from '../../../domain/forms/language/client-form.ts'
import { formSnippet } from '../../../domain/forms/form-page.ts'
import { compiledOf, fieldOf, optionsOf, when } from '../../support/data/forms/forms.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { openStage, serveSite, type Stage } from './stage.ts'

/** Printed snippets on pages of others: beside each other, twice, in another encoding, and what people type into them. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const fields = (more: readonly unknown[] = []): readonly unknown[] => [
  fieldOf('size', 'single_choice', { label: 'Size', required: true, options: optionsOf('small', 'medium') }),
  fieldOf('why', 'short_text', {
    label: 'Why medium?',
    helpText: 'One word',
    required: true,
    visibleWhen: when('size', 'equals', 'medium'),
  }),
  ...more,
]
const forms = {
  'snippet-one': fields(),
  'snippet-two': fields([
    fieldOf('agreed', 'consent', { label: 'Agreed' }),
    fieldOf('more', 'number', { label: 'More' }),
  ]),
  'snippet-typed': [
    fieldOf('note', 'long_text', { label: 'Note', minLength: 4, maxLength: 9 }),
    fieldOf('cost', 'number', { label: 'Cost', min: -5, max: 5_000, required: true }),
    fieldOf('email', 'email', { label: 'Email', contactField: 'email' }),
    fieldOf('phone', 'phone', { label: 'Phone', contactField: 'phone' }),
  ],
} as const
type FormId = keyof typeof forms

let stage: Stage
let site: Awaited<ReturnType<typeof serveSite>>

beforeAll(async () => {
  stage = await openStage()
  const file = join(scratchDirectory(), 'snippets.json')
  writeFileSync(
    file,
    JSON.stringify(
      Object.entries(forms).map(([formId, of]) => ({ formId, name: formId, isPublished: true, fields: of })),
    ),
  )
  await stage.operate('form', 'save', file, '--org', 'demo')
  site = await serveSite((path) => {
    const [, how, encoding, ids = ''] = path.split('/')
    const snippets = ids.split('+').map((formId) =>
      formSnippet(clientFormOf(compiledOf(forms[formId as FormId], { formId }), false), {
        service: stage.service.origin,
        hasClient: how === 'client',
      }),
    )
    // The encoding is that of the header alone.
    const body = `<!doctype html><html lang="en"><head><title>A page</title></head>
      <body><main><h1>Forms für alle</h1>${snippets.join('\n')}</main></body></html>`
    return { type: 'text/html', body: Buffer.from(body, 'latin1'), charset: encoding ?? 'utf-8' }
  })
}, 240_000)
afterAll(async () => {
  site.close()
  await stage.close()
})

async function open(how: 'client' | 'plain', ids: string, encoding = 'utf-8'): Promise<Page> {
  const { page, errors } = await stage.visit(`${site.url}/${how}/${encoding}/${ids}`, {
    javaScriptEnabled: how === 'client',
  })
  if (how === 'client') {
    const forms = await page.locator('form').count()
    await expect.poll(() => page.locator('.form-client-summary').count()).toBe(forms)
  }
  expect(errors).toEqual([])
  return page
}

/** Presses the button of a form, and returns the status of the answer. */
async function send(page: Page, form: Locator): Promise<number> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/submissions'))
  await form.getByRole('button', { name: 'Send' }).click()
  return (await answer).status()
}

async function answersOf(formId: FormId): Promise<readonly unknown[]> {
  return (await stage.submissions(formId)).map(({ answers }) => answers)
}

describe.each(['plain', 'client'] as const)('two snippets of one page (%s)', (how) => {
  test.each<[string, FormId, FormId]>([
    ['of two forms', 'snippet-one', 'snippet-two'],
    ['of one form', 'snippet-one', 'snippet-one'],
  ])(
    '%s: a label belongs to its own control',
    async (_, first, second) => {
      const page = await open(how, `${first}+${second}`)
      const [one, two] = [page.locator('form').first(), page.locator('form').last()]
      await two.locator('label', { hasText: 'medium' }).first().click()
      expect(await two.locator('[value=medium]').isChecked()).toBe(true)
      expect(await one.locator('[value=medium]').isChecked()).toBe(false)
      // Only the script hides fields, and those of its own form.
      expect(await two.locator('[name=why]').isVisible()).toBe(true)
      expect(await one.locator('[name=why]').isVisible()).toBe(how === 'plain')
      await two.locator('label', { hasText: 'Why medium?' }).click()
      await page.keyboard.type('second')
      expect(await one.locator('[name=why]').inputValue()).toBe('')
      await one.locator('label', { hasText: 'small' }).click()
      expect(await two.locator('[value=medium]').isChecked()).toBe(true)
      expect(await send(page, two)).toBe(200)
      expect((await answersOf(second))[0]).toEqual({ size: 'medium', why: 'second' })
      if (how === 'plain') await page.goBack()
      await one.locator('label', { hasText: 'small' }).click()
      expect(await send(page, one)).toBe(200)
      expect((await answersOf(first))[0]).toEqual({ size: 'small' })
    },
    60_000,
  )
})

test('errors are said in the form that has them, and everybody can read the page', async () => {
  const page = await open('client', 'snippet-two+snippet-two+snippet-one')
  const form = page.locator('form').nth(1)
  await form.locator('label', { hasText: 'medium' }).first().click()
  await form.evaluate((element) => {
    element.setAttribute('novalidate', '')
  })
  await form.locator('[name=more]').fill('1,000')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.locator('.form-client-error').first().waitFor()
  expect(await page.locator('.form-client-error').count()).toBe(
    await form.locator('.form-client-error').count(),
  )
  const said = await form.locator('[name=more]').evaluate((control) => {
    const id = control.getAttribute('aria-describedby') ?? ''
    return [control.closest('form')?.querySelector(`#${id}`)?.textContent, control.ariaInvalid]
  })
  expect(said).toEqual(['Enter the number without a separator of thousands, such as 1500 or 1.5.', 'true'])
  expect(await page.locator('[role=alert]').allInnerTexts()).toEqual(['', expect.stringMatching(/\w/), ''])
  const ids = await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  await page.evaluate(axe)
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
  expect(found).toEqual([])
}, 60_000)

describe.each(['plain', 'client'] as const)('what people type (%s)', (how) => {
  test('a text with line breaks that the browser takes is taken', async () => {
    const page = await open(how, 'snippet-typed')
    await page.fill('[name=cost]', '1')
    await page.locator('[name=note]').focus()
    for (const character of 'a\nb\nc\nd\ne\nf\n')
      await page.keyboard.press(character === '\n' ? 'Enter' : character)
    expect(await page.inputValue('[name=note]')).toBe('a\nb\nc\nd\ne')
    expect(await send(page, page.locator('form'))).toBe(200)
    expect((await answersOf('snippet-typed'))[0]).toEqual({ cost: 1, note: 'a\r\nb\r\nc\r\nd\r\ne' })
  })

  test.each<[string, number | null]>([
    ['1,5', 1.5],
    ['-0,25', -0.25],
    ['١٢٫٥', 12.5],
    [' １２ ', 12],
    ['1,500', null],
    ['9007199254740993', null],
    ['5001', null],
  ])(
    'the number %s is saved as %j',
    async (typed, saved) => {
      const page = await open(how, 'snippet-typed')
      const before = await answersOf('snippet-typed')
      await page.locator('[name=cost]').pressSequentially(typed)
      await page.fill('[name=note]', typed.padEnd(9, '.').slice(0, 9))
      if (saved !== null) {
        expect(await send(page, page.locator('form'))).toBe(200)
        expect((await answersOf('snippet-typed'))[0]).toMatchObject({ cost: saved })
        return
      }
      await page.getByRole('button', { name: 'Send' }).click()
      const problems = page.locator(how === 'plain' ? '.problems li' : '.form-client-error')
      await expect.poll(() => problems.allInnerTexts()).toEqual([expect.stringMatching(/number/)])
      expect(await answersOf('snippet-typed')).toEqual(before)
    },
    60_000,
  )

  test('what an address book adds to an address and a number does not lose the contact', async () => {
    const page = await open(how, 'snippet-typed')
    await page.fill('[name=cost]', '2')
    const address = `marks-${how}@bücher.example`
    const number = how === 'plain' ? '+44 20 7946 0951' : '+44 20 7946 0952'
    for (const [name, text] of [
      ['phone', `\u202a${number.slice(0, -1)}${how === 'plain' ? '١' : '２'}\u202c`],
      // Without the script the browser itself refuses such an address.
      ['email', how === 'plain' ? address : `\u2068${address}\u2069\u200b`],
    ] as const) {
      await page.locator(`[name=${name}]`).focus()
      await page.keyboard.insertText(text)
    }
    expect(await send(page, page.locator('form'))).toBe(200)
    for (const query of [`email=${encodeURIComponent(address)}`, `phone=${encodeURIComponent(number)}`]) {
      const response = await fetch(`${stage.service.origin}/api/v1/contacts?${query}`, {
        headers: { authorization: `Bearer ${stage.service.demoKey}` },
      })
      const { data } = (await response.json()) as { readonly data: readonly object[] }
      expect(data).toEqual([
        expect.objectContaining({
          email: expect.stringMatching(/^marks-\w+@(?:bücher|xn--bcher-kva)\.example$/) as string,
          phone: number.replaceAll(/[ ()-]/g, ''),
        }),
      ])
    }
  })

  test('a page in windows-1252 submits what is typed', async () => {
    const page = await open(how, 'snippet-typed', 'windows-1252')
    expect(await page.evaluate(() => document.characterSet)).toBe('windows-1252')
    expect(await page.locator('h1').innerText()).toBe('Forms für alle')
    await page.fill('[name=note]', 'Grüße €ж')
    await page.fill('[name=cost]', '3')
    expect(await send(page, page.locator('form'))).toBe(200)
    expect((await answersOf('snippet-typed'))[0]).toEqual({ cost: 3, note: 'Grüße €ж' })
  })
})

test('a form without accept-charset on such a page is told whom to ask', async () => {
  const page = await open('plain', 'snippet-typed', 'windows-1252')
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data']) {
    await page.goto(`${site.url}/plain/windows-1252/snippet-typed`)
    await page.locator('form').evaluate((form, enctype) => {
      form.removeAttribute('accept-charset')
      form.setAttribute('enctype', enctype)
    }, type)
    await page.fill('[name=note]', 'Grüße')
    await page.fill('[name=cost]', '3')
    expect(await send(page, page.locator('form'))).toBe(400)
    expect(await page.locator('main').innerText()).toMatch(/accept-charset="utf-8"[^]*tell the\s+owner/)
  }
}, 60_000)

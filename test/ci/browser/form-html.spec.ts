import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  clientFormOf,
  type ClientField,
  type ClientForm,
} from '../../../domain/forms/language/client-form.ts'
import { formPage } from '../../../domain/forms/form-page.ts'
import { compiledOf } from '../../support/data/forms/forms.ts'
import { generatedForm } from '../../support/data/forms/generated-forms.ts'
import { operate, scratchDirectory } from '../../support/services/started-service.ts'
import { openService, type ServiceAndBrowser } from './shared-service.ts'
import { serveSite } from './stage.ts'

/**
 * The pages of generated forms, in a browser: each is readable for everybody, and is submitted with and without a script
 * to be saved as the same answers as JSON that is sent directly. FORMS is their number.
 */
const COUNT = Number(process.env.FORMS ?? 10)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const generated = fc
  .sample(generatedForm, { seed: 1, numRuns: COUNT })
  .map((form, index) => ({ ...form, formId: `generated-${index}` }))
const forms: readonly ClientForm[] = generated.map(({ fields, ...form }) =>
  clientFormOf(compiledOf(fields, form), false),
)

let opened: ServiceAndBrowser
let site: Awaited<ReturnType<typeof serveSite>>
/** One page with scripts and one without show all forms, because a browser profile for each would take longer than the form. */
let pages: Readonly<Record<'client' | 'plain', Page>>

beforeAll(async () => {
  opened = await openService({ isAlone: true })
  const { stateDirectory, browser } = opened
  const file = join(scratchDirectory(), 'forms.json')
  const saved = generated.map((form) => ({ ...form, isPublished: true }))
  for (let first = 0; first < saved.length; first += 100) {
    writeFileSync(file, JSON.stringify(saved.slice(first, first + 100)))
    const { code, stderr } = await operate(stateDirectory, 'form', 'save', file, '--org', 'demo')
    expect([code, stderr.replaceAll(/^Its page: .*\n/gm, '')]).toEqual([0, ''])
  }
  site = await serveSite((path) => {
    const [, kind, index] = path.split('/')
    const form = forms[Number(index)]
    if (form === undefined) return null
    const options = { service: opened.service.origin, hasClient: kind === 'client' }
    return { type: 'text/html', body: formPage(form, options) }
  })
  const open = async (javaScriptEnabled: boolean) =>
    (await browser.newContext({ javaScriptEnabled })).newPage()
  pages = { client: await open(true), plain: await open(false) }
}, 240_000)
afterAll(async () => {
  site.close()
  await opened.close()
})

/** An answer that every generated field of its type takes. */
const answers: Readonly<Record<string, unknown>> = {
  short_text: 'Ada Lovelace',
  long_text: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '2125550100',
  number: 1.5,
  date: '2026-06-01',
  single_choice: '<b>',
  multiple_choice: ['x', 'a "b"'],
  boolean: false,
  consent: true,
}

async function fill(page: Page, field: ClientField): Promise<void> {
  const named = page.locator(`[name="${quotable(field.id)}"]`)
  if (!(await named.first().isVisible())) return
  const answer = answers[field.type]
  for (const value of Array.isArray(answer) ? answer : [answer]) {
    if (['single_choice', 'multiple_choice', 'boolean', 'consent'].includes(field.type))
      await named.and(page.locator(`[value="${quotable(String(value))}"]`)).check()
    else await named.fill(String(value))
  }
}

/** Escapes a text for an attribute selector in double quotes. */
function quotable(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&')
}

const answered = ({ fields }: ClientForm): readonly ClientField[] =>
  fields.filter(({ type }) => type !== 'heading' && type !== 'paragraph')

/** The answers of the newest submission of a form. */
async function newestOf({ formId }: ClientForm): Promise<unknown> {
  const response = await fetch(`${opened.service.origin}/api/v1/forms/${formId}/submissions?limit=1`, {
    headers: { authorization: `Bearer ${opened.service.demoKey}` },
  })
  const { data } = (await response.json()) as { readonly data: readonly { readonly answers: unknown }[] }
  return data[0]?.answers
}

async function sentDirectly(form: ClientForm): Promise<unknown> {
  const body = Object.fromEntries(answered(form).map(({ id, type }) => [id, answers[type]]))
  const response = await fetch(`${opened.service.origin}/api/forms/${form.formId}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', ...body }),
  })
  expect([response.status, form.formId]).toEqual([200, form.formId])
  return newestOf(form)
}

async function sentFrom(kind: 'client' | 'plain', form: ClientForm, index: number): Promise<unknown> {
  const page = pages[kind]
  await page.goto(`${site.url}/${kind}/${index}`)
  if (kind === 'client') await page.waitForSelector('.form-client-summary', { state: 'attached' })
  for (const field of answered(form)) await fill(page, field)
  const answer = page.waitForResponse((response) => response.url().endsWith('/submissions'))
  await page.getByRole('button', { name: 'Send' }).click()
  expect([(await answer).status(), form.formId]).toEqual([200, form.formId])
  return newestOf(form)
}

test.each(forms.map((form, index) => ({ form, index, formId: form.formId })))(
  'the page of $formId saves the same answers with and without a script',
  async ({ form, index }) => {
    const expected = await sentDirectly(form)
    expect(await sentFrom('plain', form, index)).toEqual(expected)
    expect(await sentFrom('client', form, index)).toEqual(expected)
  },
  60_000,
)

test('axe finds nothing on any of the pages, in light and dark', async () => {
  const page = pages.client
  for (const [index, { formId }] of forms.entries()) {
    await page.goto(`${site.url}/plain/${index}`)
    await page.evaluate(axe)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found: unknown = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      )
      expect([formId, found]).toEqual([formId, []])
    }
  }
}, 3_600_000)

/** The relative luminance of a colour that the browser computed (WCAG 2.2, 1.4.3). */
function luminance(colour: string): number {
  const [red = NaN, green = NaN, blue = NaN] = [...colour.matchAll(/[\d.]+/g)].map(([part]) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('the button that sends stands out from the page, in light and dark, and where light-dark() is not known', async () => {
  const { plain: page } = pages
  const path = `${site.url}/plain/0`
  const contrast = async () => {
    const button = page.getByRole('button', { name: 'Send' })
    const background = await button.evaluate((found) => getComputedStyle(found).backgroundColor)
    const around = await page.locator('body').evaluate((found) => getComputedStyle(found).backgroundColor)
    const behind = around === 'rgba(0, 0, 0, 0)' ? 'rgb(255, 255, 255)' : around
    const [light = NaN, dark = NaN] = [background, behind].map(luminance).sort((one, other) => other - one)
    return (light + 0.05) / (dark + 0.05)
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(path)
    expect(await contrast()).toBeGreaterThan(4)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.route(path, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll('light-dark(', 'not-known(') })
  })
  await page.goto(path)
  expect(await contrast()).toBeGreaterThan(4)
  await page.unroute(path)
}, 60_000)

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { openStage, phone, type Stage, type Visit } from './stage.ts'

/** The pages of forms at this service, as a visitor sees them. */
let stage: Stage
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const fields = [
  { id: 'intro', type: 'heading', label: 'About you' },
  { id: 'name', type: 'short_text', label: 'Name', required: true, contactField: 'firstName' },
  { id: 'email', type: 'email', label: 'Email', required: true, helpText: 'For the answer alone.' },
  {
    id: 'wash',
    type: 'single_choice',
    label: 'Which wash?',
    options: [
      { value: 'basic', label: 'Basic' },
      { value: 'other', label: 'Another' },
    ],
  },
  {
    id: 'which',
    type: 'long_text',
    label: 'Which other?',
    required: true,
    visibleWhen: { match: 'all', rules: [{ field: 'wash', operator: 'equals', value: 'other' }] },
  },
  { id: 'cars', type: 'number', label: 'How many cars?', min: 1, max: 9 },
  { id: 'agree', type: 'consent', label: 'You may write to me.', required: true },
]

const forms = [
  { formId: 'page-open', name: 'Book a wash', isPublished: true, fields },
  { formId: 'page-locked', name: 'Members', isPublished: true, password: 'open sesame', fields },
  {
    formId: 'page-german',
    name: 'Termin',
    isPublished: true,
    language: 'de',
    texts: { send: 'Anfragen' },
    fields,
  },
]

beforeAll(async () => {
  stage = await openStage()
  const file = join(scratchDirectory(), 'forms.json')
  writeFileSync(file, JSON.stringify(forms))
  await stage.operate('form', 'save', file, '--org', 'demo')
}, 120_000)
afterAll(() => stage.close())

const address = (formId: string) => `${stage.service.origin}/f/${formId}`
const wide: BrowserContextOptions = { viewport: { width: 1280, height: 900 } }
const sizes = { phone, wide }

/** Expects that nothing of the page is wrong: in both schemes no finding, no error, no other host, nothing too wide. */
async function expectSound(visit: Visit, name: string): Promise<void> {
  const { page, errors, hosts, screenshot } = visit
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await screenshot(`${name}-${colorScheme}`)
    const found: unknown = await page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    )
    expect(found).toEqual([])
  }
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect([overflow, errors, [...hosts]]).toEqual([0, [], [new URL(stage.service.origin).host]])
}

async function fill({ page }: Visit, email: string): Promise<void> {
  await page.fill('[name=name]', 'Ada')
  await page.fill('[name=email]', email)
  await page.check('[value=basic]')
  await page.fill('[name=cars]', '2')
  await page.check('[name=agree]')
}

const sent = { name: 'Ada', wash: 'basic', cars: 2, agree: true }

describe.each(['phone', 'wide'] as const)('on %s', (size) => {
  test('a form is filled in with the script, which shows and hides what depends on answers', async () => {
    const visit = await stage.visit(address('page-open'), sizes[size])
    const { page } = visit
    await page.waitForSelector('[name=which]', { state: 'hidden' })
    expect(await page.textContent('.organization')).not.toBe('')
    await expectSound(visit, `form-page-${size}`)
    await page.check('[value=other]')
    await page.waitForSelector('[name=which]', { state: 'visible' })
    await fill(visit, `${size}@example.com`)
    await page.fill('[name=cars]', '1,500')
    await page.click('button')
    await page.waitForSelector('.form-client-error')
    await expectSound(visit, `form-page-error-${size}`)
    await page.fill('[name=cars]', '2')
    await page.click('button')
    await page.waitForSelector('.form-client-receipt')
    await expectSound(visit, `form-page-sent-${size}`)
    const [submission] = await stage.submissions('page-open')
    expect(submission?.answers).toEqual({ ...sent, email: `${size}@example.com` })
  })

  test('and without, from the page to the reply and back to the form', async () => {
    const visit = await stage.visit(address('page-open'), { ...sizes[size], javaScriptEnabled: false })
    const { page, errors } = visit
    await fill(visit, `plain-${size}@example.com`)
    await page.click('button')
    await page.waitForSelector('main.success')
    const [submission] = await stage.submissions('page-open')
    expect(submission?.answers).toEqual({ ...sent, email: `plain-${size}@example.com` })
    await page.click('a.go')
    expect([page.url(), errors]).toEqual([address('page-open'), []])
  })

  test.each([true, false])('a password is asked for first (with a script: %s)', async (javaScriptEnabled) => {
    const visit = await stage.visit(address('page-locked'), { ...sizes[size], javaScriptEnabled })
    const { page } = visit
    expect(await page.content()).not.toContain('Which wash?')
    if (javaScriptEnabled) await expectSound(visit, `form-page-locked-${size}`)
    await page.fill('[name=_password]', 'wrong')
    await page.click('button')
    await page.waitForSelector('[role=alert]:has-text("The password is wrong.")')
    if (javaScriptEnabled) await expectSound(visit, `form-page-wrong-${size}`)
    await page.fill('[name=_password]', 'open sesame')
    await page.click('button')
    await page.waitForSelector('[name=name]')
    const email = `locked-${size}-${javaScriptEnabled}@example.com`
    await fill(visit, email)
    await page.click('button')
    await page.waitForSelector(javaScriptEnabled ? '.form-client-receipt' : 'main.success')
    const [submission] = await stage.submissions('page-locked')
    expect(submission?.answers).toEqual({ ...sent, email })
  })

  test('a form that is not there has a page that says so', async () => {
    const visit = await stage.visit(address('page-of-none'), sizes[size])
    expect(await visit.page.textContent('h1')).toBe('This form is not available')
    await expectSound(visit, `form-page-none-${size}`)
  })

  test.each([true, false])(
    'a form in German speaks German (with a script: %s)',
    async (javaScriptEnabled) => {
      const visit = await stage.visit(address('page-german'), { ...sizes[size], javaScriptEnabled })
      const { page } = visit
      await fill(visit, `german-${size}-${javaScriptEnabled}@example.com`)
      await page.fill('[name=cars]', '1,500')
      const button = page.getByRole('button', { name: 'Anfragen' })
      await button.click()
      await page.getByText('ohne Tausendertrennzeichen').waitFor()
      if (javaScriptEnabled) await expectSound(visit, `form-page-german-${size}`)
      else await page.goBack()
      await page.fill('[name=cars]', '12')
      await button.click()
      await page.getByText('Geben Sie eine Zahl bis 9 ein.').waitFor()
      if (!javaScriptEnabled) await page.goBack()
      await page.fill('[name=cars]', '2')
      await button.click()
      await page.getByText('Ihre Angaben sind angekommen.').waitFor()
      expect(visit.errors).toEqual([])
    },
  )
})

test('what says that a question may not apply goes once a script decides it, and comes back without one', async () => {
  const plain = await stage.visit(address('page-german'), { javaScriptEnabled: false })
  expect(await plain.page.getByText('(falls zutreffend)').isVisible()).toBe(true)
  expect(await plain.page.getByText('(freiwillig)').count()).toBe(2)

  const { page } = await stage.visit(address('page-german'))
  const hint = page.getByText('(falls zutreffend)')
  await page.waitForSelector('[name=which]', { state: 'hidden' })
  await page.check('[value=other]')
  await page.waitForSelector('[name=which]', { state: 'visible' })
  expect([await hint.count(), await hint.isVisible()]).toEqual([1, false])
  expect(await page.getByRole('textbox', { name: 'Which other?', exact: true }).count()).toBe(1)
  // As where the definition could not be loaded, so that nothing is decided.
  await page.evaluate(`import('/form-client.js?attach').then(({ attach }) => {
    attach(document.querySelector('form'), { fields: [] })
  })`)
  await hint.waitFor()
  expect(await hint.getAttribute('style')).toBeNull()
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchDirectory } from '../../support/services/started-service.ts'
import { openStage, serveSite, type Stage } from './stage.ts'

/** Forms that a page must bear: large ones, hostile texts, and ids that mean something to a browser or to a script. */
let stage: Stage
let site: Awaited<ReturnType<typeof serveSite>>
const pages = new Map<string, string>()

beforeAll(async () => {
  stage = await openStage()
  site = await serveSite((path) => {
    const body = pages.get(path.slice(1))
    return body === undefined ? null : { type: 'text/html', body }
  })
}, 120_000)
afterAll(async () => {
  site.close()
  await stage.close()
})

/** Saves a form, and opens the page that `form html` prints for it. */
async function openForm(formId: string, fields: readonly object[]) {
  const file = join(scratchDirectory(), 'form.json')
  writeFileSync(file, JSON.stringify({ formId, name: formId, isPublished: true, fields }))
  await stage.operate('form', 'save', file, '--org', 'demo')
  const page = await stage.operate('form', 'html', formId, '--org', 'demo', '--client')
  // A command that starts a service of its own would name another origin.
  expect(page).toContain(stage.service.origin)
  pages.set(formId, page)
  const visit = await stage.visit(`${site.url}/${formId}`)
  await visit.page.locator('.form-client-summary').waitFor({ state: 'attached' })
  return visit
}

const shownIf = (field: string) => ({ match: 'all', rules: [{ field, operator: 'is_not_empty' }] })

async function answersOf(formId: string): Promise<unknown> {
  return (await stage.submissions(formId))[0]?.answers
}

test('two hundred fields, each of which waits for the one before it', async () => {
  const id = (index: number) => `f${index}`
  const fields = Array.from({ length: 200 }, (_, index) => ({
    id: id(index),
    type: 'short_text',
    label: `Field ${index}`,
    ...(index === 0 ? {} : { visibleWhen: shownIf(id(index - 1)) }),
  }))
  const { page, errors } = await openForm('many', fields)
  const shown = () => page.locator('[data-field]:visible').count()
  expect(await shown()).toBe(1)
  const startedAt = performance.now()
  for (let index = 0; index < 200; index += 1) await page.fill(`[name=${id(index)}]`, `${index}`)
  const eachMs = (performance.now() - startedAt) / 200
  expect(await shown()).toBe(200)
  // Far more than it takes, and less than a visitor would notice while typing.
  expect(eachMs).toBeLessThan(500)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.form-client-receipt').waitFor()
  expect(await answersOf('many')).toEqual(
    Object.fromEntries(fields.map((_, index) => [id(index), String(index)])),
  )
  await page.goto(`${site.url}/many`)
  await page.fill('[name=f0]', 'x')
  await page.fill('[name=f1]', 'x')
  await page.fill('[name=f0]', '')
  expect(await shown()).toBe(1)
  expect(errors).toEqual([])
})

test('ids that objects and forms have already', async () => {
  const ids = [
    ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'then', 'length', 'size'],
    ...['elements', 'action', 'method', 'submit', 'reset', 'parentNode', 'innerHTML', 'style', 'name', 'id'],
    ...['proto__', '0', '[object Object]', 'a.b', "a'b", 'a"b\\', 'é\u0301', '\u202eabc', '💧'],
  ]
  const fields = ids.map((id, index) => ({
    id,
    type: 'short_text',
    label: `Label ${index}`,
    ...(index === 0 ? {} : { visibleWhen: shownIf(ids[index - 1] ?? '') }),
    ...(index === ids.length - 1 ? { minLength: 5 } : {}),
  }))
  const { page, errors } = await openForm('ids', fields)
  for (let index = 0; index < ids.length; index += 1)
    await page.getByLabel(`Label ${index} (optional)`, { exact: true }).fill(`v${index}`)
  // The browser's driver looks for the parent of the form, and finds the field of that name.
  const send = () =>
    page.evaluate(() => {
      document.querySelector('button')?.click()
    })
  // The browser would refuse the last one itself; the service's error is the one under test.
  await page.locator('form').evaluate((form) => {
    form.setAttribute('novalidate', '')
  })
  await send()
  expect(await page.locator('.form-client-error').textContent()).toContain('5')
  await page.getByLabel(`Label ${ids.length - 1} (optional)`, { exact: true }).fill('longer')
  await send()
  await page.locator('.form-client-receipt').waitFor()
  expect(await answersOf('ids')).toEqual(
    Object.fromEntries(ids.map((id, index) => [id, index === ids.length - 1 ? 'longer' : `v${index}`])),
  )
  expect(errors).toEqual([])
})

test('hostile labels and options are texts', async () => {
  const texts = [
    '</script><script>window.hostile = 1</script>',
    '"><img src=x onerror="window.hostile = 1">',
    '</textarea></label></form><form action="https://evil.example">',
    '\u202eright to left \u2066isolated',
    'x'.repeat(10_000),
    'שלום \u200f عربي',
    '<!-- --> --!> ]]> {{constructor.constructor("window.hostile=1")()}}',
  ]
  const fields = texts.flatMap((text, index) => [
    { id: `t${index}`, type: 'short_text', label: text, helpText: text, placeholder: text },
    {
      id: `c${index}`,
      type: 'single_choice',
      label: text,
      options: [{ value: text.slice(0, 200), label: text }],
    },
  ])
  const { page, errors, screenshot } = await openForm('hostile-labels', fields)
  const read = await page.evaluate(() => ({
    forms: document.forms.length,
    hostile: 'hostile' in window,
    scripts: document.scripts.length,
    labels: [...document.querySelectorAll('legend')].map(({ textContent }) => textContent),
    width: document.documentElement.scrollWidth <= window.innerWidth,
  }))
  expect(read).toEqual({
    forms: 1,
    hostile: false,
    scripts: 1,
    labels: texts.map((text) => `${text} (optional)`),
    width: true,
  })
  await screenshot('hostile-form')
  await page.locator('[name=c0]').check()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.form-client-receipt').waitFor()
  expect(await answersOf('hostile-labels')).toEqual({ c0: texts[0] })
  expect(errors).toEqual([])
})

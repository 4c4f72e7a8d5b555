import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../support/services/started-service.ts'
import { useConsoleRoom } from './console-room.ts'
import { choose, press, type } from './keyboard.ts'

/** What came in through forms, and the forms, as operators see them in the console. */
const room = useConsoleRoom()

/** A visitor submits the demo form. Returns the id of the submission. */
async function submit(message: string, email: string): Promise<string> {
  const response = await fetch(`${room.service.origin}/api/forms/demo-contact/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', firstName: 'Grace', email, message, _utm_source: 'news' }),
  })
  expect(response.status).toBe(200)
  const { submissionId } = (await response.json()) as { readonly submissionId: string }
  return submissionId
}

const HOSTILE = `<script>alert(1)</script>\u202eevil ${'long'.repeat(400)}`

test('a submission appears by itself in the inbox, is opened as text, and its person is erased', async () => {
  const { page, check } = await room.visit('/organizations/demo/submissions', room.adminKey)
  await page.getByLabel('Form').selectOption('demo-contact')
  await submit(HOSTILE, 'grace@example.com')
  const row = page.getByRole('row').filter({ hasText: '<script>alert(1)</script>' })
  await row.first().waitFor()
  // What turns the direction of its own text is kept in it.
  await row.first().locator('bdi').filter({ hasText: '\u202eevil' }).waitFor()
  await check()
  await row.first().getByRole('link').click()
  await page.getByText('grace@example.com').first().waitFor()
  await page.getByText('news').waitFor()
  await page.locator('bdi').filter({ hasText: '\u202eevil' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Erase this person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  await dialog.getByText('This must be exactly').waitFor()
  const label = await dialog.locator('label').innerText()
  await dialog.locator('input').fill(label.split(' ')[1] ?? '')
  await dialog.getByRole('button', { name: 'Erase' }).click()
  await page.getByText('No answers are stored.').waitFor()
  expect(await page.getByText('grace@example.com').count()).toBe(0)
})

test('a form is taken back and published again; a support key may only look', async () => {
  const { page } = await room.visit('/organizations/demo/forms', room.adminKey)
  const status = async () =>
    (await fetch(`${room.service.origin}/forms/demo-contact/definition`, { cache: 'no-store' })).status
  const button = page.getByRole('button', { name: /^(Unpublish|Publish) / })
  const name =
    (await page
      .getByRole('row')
      .filter({ hasText: 'demo-contact' })
      .getByRole('button', { name: /^(Unpublish|Publish) / })
      .getAttribute('aria-label')) ?? ''
  await page.getByRole('button', { name, exact: true }).click()
  const again = page.getByRole('button', { name: name.replace('Unpublish', 'Publish'), exact: true })
  await again.waitFor()
  await expect.poll(status).toBe(404)
  await again.click()
  await page.getByRole('button', { name, exact: true }).waitFor()
  await expect.poll(status).toBe(200)
  expect(await button.count()).toBeGreaterThan(0)

  const key = await room.operator('key', 'issue', '--operator', 'reader', '--role', 'support')
  const seen = await room.visit('/organizations/demo/forms', key)
  await seen.page.getByRole('table', { name: 'Forms' }).waitFor()
  expect(await seen.page.getByRole('button', { name: /ublish/ }).count()).toBe(0)
})

test('forms, the inbox and a submission in every view', async () => {
  const submissionId = await submit('Are you open?', 'ada.views@example.com')
  const name = 'Sparkle Car Wash'
  await room.inEveryView('forms', '/organizations/demo/forms', room.adminKey, name)
  await room.inEveryView('submissions', '/organizations/demo/submissions', room.adminKey, name)
  const form = '/organizations/demo/forms/demo-contact'
  await room.inEveryView('form-versions', `${form}/versions`, room.adminKey, name)
  await room.inEveryView('submission', `/organizations/demo/submissions/${submissionId}`, room.adminKey, name)
}, 180_000)

/** Makes a form with words of its own, and a submission of it. */
async function fill(formId: string, message: string): Promise<string> {
  const response = await fetch(`${room.service.origin}/api/forms/${formId}/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', terms: true, services: ['svc-other'], message }),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { readonly submissionId: string }).submissionId
}

async function makeForm(formId: string): Promise<void> {
  const options = [
    { value: 'svc-wash', label: 'A wash' },
    { value: 'svc-other', label: 'Something else' },
  ]
  const fields = [
    { id: 'services', type: 'multiple_choice', label: 'What do you need?', options },
    { id: 'terms', type: 'consent', label: 'I agree to the terms' },
    { id: 'message', type: 'long_text', label: 'Your message' },
  ]
  const file = join(scratchDirectory(), `${formId}.json`)
  writeFileSync(file, JSON.stringify({ formId, name: `Form ${formId}`, fields }))
  await room.operator('form', 'save', file, '--org', 'demo')
  await room.operator('form', 'publish', formId, '--org', 'demo')
}

test('what is unread is bold and counted, reads as the form does, and is gone through by keyboard alone', async () => {
  await makeForm('inbox-words')
  for (const message of ['first', 'second', 'Third of SUNDAY']) await fill('inbox-words', message)
  const { page, check } = await room.visit('/organizations/demo', room.adminKey)
  await page.waitForURL(/\/organizations\/demo\/submissions$/)
  await choose(page, page.getByLabel('Form', { exact: true }), 'Form inbox-words')
  await page.getByText('3 unread', { exact: true }).waitFor()
  const rows = page.getByRole('row').filter({ hasText: 'Something else' })
  await expect.poll(() => rows.count()).toBe(3)
  expect(await rows.first().innerText()).toMatch(
    /What do you need\? Something else · I agree to the terms Yes/,
  )
  expect(await page.locator('.unread a').count()).toBe(3)
  await check()
  await press(page, rows.first().getByRole('link'))
  await page.getByText('1 of 3', { exact: true }).waitFor()
  await page.getByText('Third of SUNDAY').waitFor()
  await page.getByRole('button', { name: 'Mark unread' }).waitFor()
  await page.getByText('I agree to the terms').waitFor()
  expect(await page.getByRole('main').innerText()).toMatch(/I agree to the terms\s+Yes/)
  await page.keyboard.press('k')
  await page.getByText('1 of 3', { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.getByText('second', { exact: true }).waitFor()
  await press(page, page.getByRole('button', { name: 'Next' }))
  await page.getByText('first', { exact: true }).waitFor()
  await page.getByText('3 of 3', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Mark unread' }).waitFor()
  await check()
  await press(page, page.getByRole('button', { name: 'Mark unread' }))
  await page.getByRole('button', { name: 'Mark read' }).waitFor()
  await press(page, page.getByRole('link', { name: 'All submissions' }))
  await page.getByText('1 unread', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.unread a').count()).toBe(1)
}, 120_000)

test('several are marked and deleted at once, and a search and days narrow the list', async () => {
  await makeForm('inbox-many')
  for (const message of ['one', 'two', 'three of SUNDAY']) await fill('inbox-many', message)
  const { page, check } = await room.visit('/organizations/demo/submissions?form=inbox-many', room.adminKey)
  await page.getByText('3 unread', { exact: true }).waitFor()
  await press(page, page.getByLabel('Select all shown'), 'Space')
  await page.getByText('3 submissions selected').waitFor()
  await check()
  await press(page, page.getByRole('button', { name: 'Mark read' }))
  await page.getByText('Nothing is unread.').waitFor()
  await type(page, page.getByLabel('Search answers'), 'sunday')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  expect(page.url()).toMatch(/\?form=inbox-many&search=sunday$/)
  const downloading = page.waitForEvent('download')
  await press(page, page.getByRole('button', { name: 'Download CSV' }))
  const sheet = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
  expect(sheet[0]).toContain('contactId,What do you need?,I agree to the terms,Your message')
  expect(sheet[1]).toContain(',Something else,Yes,three of SUNDAY')
  expect(sheet).toHaveLength(2)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('Nothing was found.').waitFor()
  await check()
  await page.getByLabel('To', { exact: true }).fill('')
  await press(page, page.getByRole('checkbox', { name: /^Select what came in/ }), 'Space')
  await press(page, page.getByRole('button', { name: 'Delete', exact: true }))
  const dialog = page.getByRole('dialog', { name: 'Delete 1 submission?' })
  await dialog.waitFor()
  await check()
  await press(page, dialog.getByRole('button', { name: 'Delete' }))
  await page.getByText('Nothing was found.').waitFor()
  await type(page, page.getByLabel('Search answers'), ' ')
  await expect.poll(() => page.getByRole('row').count()).toBe(3)

  await page.getByLabel('Select all shown').check()
  await page.getByRole('button', { name: 'Mark unread' }).click()
  await page.getByText('2 unread', { exact: true }).waitFor()

  // Support reads, and what it opens stays unread.
  const key = await room.operator('key', 'issue', '--operator', 'reader', '--role', 'support')
  const seen = await room.visit('/organizations/demo/submissions?form=inbox-many', key)
  await seen.page.getByText('2 unread', { exact: true }).waitFor()
  expect(await seen.page.getByRole('checkbox').count()).toBe(0)
  await seen.page.getByRole('row').nth(1).getByRole('link').click()
  await seen.page.getByText('Submission', { exact: true }).waitFor()
  expect(await seen.page.getByRole('button', { name: /^Mark|spam/ }).count()).toBe(0)
  await seen.page.goBack()
  await seen.page.getByText('2 unread', { exact: true }).waitFor()
}, 120_000)

test('a tenant reads its own submissions as the form says them, and changes nothing', async () => {
  await makeForm('inbox-tenant')
  for (const message of ['alpha', 'omega']) await fill('inbox-tenant', message)
  const { page, check } = await room.visit('/submissions?form=inbox-tenant', room.service.demoKey)
  const rows = page.getByRole('row').filter({ hasText: 'Something else' })
  await expect.poll(() => rows.count()).toBe(2)
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await check()
  await type(page, page.getByLabel('Search answers'), 'OMEGA')
  await expect.poll(() => rows.count()).toBe(1)
  const downloading = page.waitForEvent('download')
  await press(page, page.getByRole('button', { name: 'Download CSV' }))
  const file = await downloading
  expect(file.suggestedFilename()).toBe('inbox-tenant-submissions.csv')
  const sheet = readFileSync(await file.path(), 'utf8').split('\r\n')
  expect(sheet[0]).toContain('contactId,What do you need?,I agree to the terms,Your message')
  expect(sheet[1]).toContain(',Something else,Yes,omega')
  expect(sheet).toHaveLength(2)
  await page.getByLabel('Search answers').fill('nobody wrote this')
  await page.getByText('Nothing was found.').waitFor()
  await page.getByLabel('Search answers').fill('')
  await expect.poll(() => rows.count()).toBe(2)
  await press(page, rows.first().getByRole('link'))
  await page.getByText('omega').waitFor()
  await page.keyboard.press('j')
  await page.getByText('alpha').waitFor()
  await page.getByText('I agree to the terms').waitFor()
  expect(await page.getByRole('main').innerText()).toMatch(/I agree to the terms\s+Yes/)
  await check()
  await room.inEveryView('tenant-submissions', '/submissions', room.service.demoKey, 'Submissions')
  const [one = ''] = await page.locator('main code').allInnerTexts()
  const path = `/submissions/${one}?form=inbox-tenant`
  await room.inEveryView('tenant-submission', path, room.service.demoKey, 'Form inbox-tenant')
}, 180_000)

test("a tenant's search and files end at a bound, and say so", async () => {
  const { page, check } = await room.visit('/submissions', room.service.demoKey)
  const asked: URLSearchParams[] = []
  await page.route('**/api/v1/forms/submissions?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    asked.push(query)
    const of = asked.length
    const data = Array.from({ length: Number(query.get('limit')) }, (_, index) => ({
      ...{ submissionId: `sub-${of}-${index}`, formId: 'removed-since', formName: null },
      ...{ contactId: null, submittedAt: '2026-05-04T09:00:00.000Z', attribution: {} },
      answers: { message: of === 40 && index === 499 ? 'the needle' : 'hay' },
    }))
    return route.fulfill({ json: { data, pagination: { nextCursor: `after-${of}` } } })
  })
  await page.getByLabel('Search answers').fill('needle')
  await page.getByText('The newest 20,000 submissions were searched.').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  expect(asked.slice(-39).map((query) => query.get('cursor'))).toEqual(
    Array.from({ length: 39 }, (_, index) => `after-${index + 1}`),
  )
  expect(asked).toHaveLength(40)
  await check()
  asked.length = 0
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  // The form is no longer there, so that the ids of its fields are the heads.
  expect(readFileSync(await (await downloading).path(), 'utf8').split('\r\n')).toEqual([
    '\uFEFFsubmissionId,submittedAt,formId,contactId,message',
    'sub-40-499,2026-05-04T09:00:00.000Z,removed-since,,the needle',
  ])
  await page.getByText('Older submissions were not looked at: choose days for them.').waitFor()
}, 120_000)

test('the inbox filters by any of many forms and by contact, and downloads what it shows', async () => {
  const forms = Array.from({ length: 120 }, (_, index) => ({
    ...{
      formId: `many-${index}`,
      name: `Many ${index}`,
      isPublished: true,
      notificationEmails: [],
      fields: [],
    },
    createdAt: '2020-01-01T00:00:00.000Z',
  }))
  const file = join(scratchDirectory(), 'forms.ndjson')
  writeFileSync(file, forms.map((form) => `${JSON.stringify(form)}\n`).join(''))
  await room.operator('import', 'forms', '--org', 'demo', file)
  await submit('one', 'kim@example.com')
  await submit('two', 'kim@example.com')
  const { page, check } = await room.visit('/organizations/demo/submissions', room.adminKey)
  const filter = page.getByLabel('Form', { exact: true })
  await expect.poll(() => filter.locator('option').count()).toBeGreaterThan(120)
  await filter.selectOption('many-0')
  await page.getByText('Nothing came in yet.').waitFor()
  expect(page.url()).toMatch(/\?form=many-0$/)
  await filter.selectOption('demo-contact')
  await page.getByRole('row').filter({ hasText: 'two' }).getByRole('link').click()
  await page.getByRole('link', { name: 'Everything this person sent' }).click()
  await page.getByText('Only what the contact').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(3)
  await check()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download NDJSON' }).click()
  const lines = readFileSync(await (await downloading).path(), 'utf8')
    .trim()
    .split('\n')
  const messages = lines.map((line) => (JSON.parse(line) as { answers: { message: string } }).answers.message)
  expect(messages).toEqual(['two', 'one'])
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operate, scratchDirectory } from '../../../support/services/started-service.ts'
import { useConsoleRoom } from './console-room.ts'
import { choose, press } from './keyboard.ts'

/** What is done with an organization as a whole. */
const room = useConsoleRoom()

test('an organization is created, set, moved there and back, kept for a time, exported and deleted', async () => {
  const { page, check, screenshot } = await room.visit('/organizations', room.adminKey)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New organization' }).click()
  await dialog.getByLabel('Identifier').fill('demo')
  await dialog.getByLabel('Name').fill('Lakeside <b>Wash</b>')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('is taken by another organization').waitFor()
  await check()
  await dialog.getByLabel('Identifier').fill('lakeside')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lakeside <b>Wash</b>' }).waitFor()

  const slug = page.getByLabel('Sender of email')
  await slug.fill('Not A Slug')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('must be at most 63 lower-case letters').waitFor()
  await check()
  await slug.fill('lakeside')
  await page.getByLabel('Name', { exact: true }).fill('Lakeside')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lakeside', exact: true }).waitFor()
  expect(JSON.parse(await room.operator('org', 'show', 'lakeside'))).toMatchObject({
    ...{ name: 'Lakeside', slug: 'lakeside', phoneCountry: 'US', automationHourly: 500 },
  })

  const move = page.getByRole('button', { name: 'Move', exact: true })
  await move.click()
  await dialog.getByLabel('Where').selectOption('weur')
  await check()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('It lives in a database of its own.').waitFor()
  await page.getByText('Western Europe').waitFor()
  await check()
  await move.click()
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('It lives in the shared database.').waitFor()

  await page.getByLabel('Submissions', { exact: true }).fill('365')
  await page.getByRole('button', { name: 'Set the retention' }).click()
  await dialog.getByText('kept for 365 days, and what is older is removed within a day').waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('The retention is set.').waitFor()

  await page.getByRole('link', { name: 'Export', exact: true }).click()
  await page.getByLabel('With keys and the hashes of form passwords').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the archive' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('lakeside.tar')
  const archive = await download.path()
  await page.getByText('The archive is complete').waitFor()
  await page.getByRole('link', { name: 'Settings', exact: true }).click()

  await page.getByRole('button', { name: 'Delete the organization' }).click()
  await dialog.getByLabel('Type lakeside to confirm').fill('demo')
  await dialog.getByRole('button', { name: 'Delete for ever' }).click()
  await dialog.getByText('This must be exactly lakeside.').waitFor()
  await check()
  await screenshot('console-delete')
  await dialog.getByLabel('Type lakeside to confirm').fill('lakeside')
  await dialog.getByRole('button', { name: 'Delete for ever' }).click()
  await page.getByText(/lakeside is deleted, with \d+ rows/).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
  const gone = await operate(room.stateDirectory, 'org', 'show', 'lakeside')
  expect(gone.stderr).toContain('There is no organization lakeside')
  // What the browser saved is an archive for the command line.
  await room.operator('org', 'restore', archive)
  expect(JSON.parse(await room.operator('org', 'show', 'lakeside'))).toMatchObject({ name: 'Lakeside' })
}, 180_000)

test('a move shows how far it is, and is given up', async () => {
  const { page, check } = await room.visit('/organizations/demo/settings', room.adminKey)
  const begun = {
    ...{ moveId: 'a'.repeat(20), organizationId: 'demo', from: 'shared', to: 'own', phase: 'copying' },
    ...{ region: null, jurisdiction: null, copiedRows: 4_120, comparedRows: 0, table: 11, tables: 38 },
    ...{ pausedMs: null, failure: null, startedAt: '2026-05-19T18:10:00.000Z', endedAt: null },
  }
  let isAborted = false
  await page.route('**/move/abort', async (route) => {
    isAborted = true
    await route.fulfill({ json: { ...begun, phase: 'aborting' } })
  })
  await page.route('**/move', (route) => route.fulfill({ json: { move: begun } }))
  await page.route('**/operator/v1/moves/*', (route) => {
    const ended = {
      phase: 'aborted',
      endedAt: '2026-05-19T18:11:00.000Z',
      failure: 'The copy <b>differs</b>.',
    }
    return route.fulfill({ json: isAborted ? { ...begun, ...ended } : begun })
  })
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByText('Rows copied: 4,120').waitFor()
  await check()
  await page.getByRole('button', { name: 'Give the move up' }).click()
  await page
    .getByText('The move was given up, and everything is as it was. The copy <b>differs</b>.')
    .waitFor()
  await check()
})

test('a support key sees an organization, and no button that it may not use', async () => {
  const key = await room.operator('key', 'issue', '--operator', 'looker', '--role', 'support')
  const { page, check } = await room.visit('/organizations/demo/settings', key)
  await page.getByText('Sender of email').waitFor()
  const within = page.getByRole('main')
  expect(await within.getByRole('button').allInnerTexts()).toEqual(['Copy'])
  expect(await within.getByRole('textbox').count()).toBe(0)
  await check()
  await page.getByRole('link', { name: 'Imports' }).click()
  await page.getByRole('table', { name: 'Imports' }).waitFor()
  expect(await within.getByRole('button').allInnerTexts()).toEqual(['Copy'])
  expect(await within.getByRole('combobox').count()).toBe(0)
  await check()
  await page.getByRole('link', { name: 'Organizations' }).first().click()
  await page.getByRole('table', { name: 'Organizations' }).waitFor()
  expect(await within.getByRole('button').count()).toBe(0)
})

const sheet = (third: string) => ({
  name: 'sheet.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    `\uFEFFContact ID;First Name;E-mail address;Notes\r\nx-1;Grace;grace@example.com;by phone\r\n${third}\r\n`,
  ),
})

test('a spreadsheet with an error in line 3 is corrected and taken', async () => {
  const { page, check, screenshot } = await room.visit('/organizations/demo/imports', room.adminKey)
  await page.getByLabel('What the rows are').selectOption('contacts')
  const [template] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download a template' }).click(),
  ])
  expect(template.suggestedFilename()).toBe('contacts.csv')
  await page.getByText('What the columns of contacts mean').click()
  await check()
  await page.getByLabel('Choose a file').setInputFiles(sheet(';<b>Ada</b>;no address;'))
  await page.getByText('Its cells are divided by a semicolon.').waitFor()
  await page.getByText('Say first what each marked column means').waitFor()
  await check()
  await page.getByLabel('E-mail address').selectOption('email')
  await page.getByRole('button', { name: 'Leave them all out' }).click()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const third = page.getByRole('listitem').filter({ hasText: 'Line 3' })
  await third.getByText(';<b>Ada</b>;no address;').waitFor()
  await third.getByText('E-mail address must be an email address').waitFor()
  await check()
  await screenshot('console-import-problems')

  // The corrected file is dropped; what was said of its columns stays.
  const { name, mimeType, buffer } = sheet('x-2;Ada;ada@example.com;')
  const dropped = await page.evaluateHandle(
    ([fileName, type, text]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], fileName, { type }))
      return transfer
    },
    [name, mimeType, buffer.toString()] as const,
  )
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
  await third.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByText(
      'Rows: 2 read: 2 would be new, 0 changed, 0 unchanged, 0 merged. Nothing is wrong. Nothing was imported: this was a dry run.',
    )
    .waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Rows: 2 read: 2 new, 0 changed, 0 unchanged, 0 merged.').waitFor()
  await check()
  const read = await fetch(`${room.service.origin}/api/v1/contacts/x-2`, {
    headers: { authorization: `Bearer ${room.service.demoKey}` },
  })
  expect(await read.json()).toMatchObject({ contactId: 'x-2', firstName: 'Ada', email: 'ada@example.com' })
})

test('a file is imported, and an organization moved, by the keyboard alone', async () => {
  await room.operator('org', 'create', '--id', 'small', '--name', 'Small Wash')
  const { page } = await room.visit('/organizations/small/imports', room.adminKey)
  await choose(page, page.getByLabel('What the rows are'), 'contacts')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    press(page, page.getByLabel('Choose a file')),
  ])
  const buffer = Buffer.from('contactId,First Name\nkey-1,Ada\n')
  await chooser.setFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer })
  await press(page, page.getByRole('button', { name: 'Import', exact: true }))
  await page.getByText('Rows: 1 read: 1 new, 0 changed, 0 unchanged, 0 merged.').waitFor()

  await press(page, page.getByLabel('Organization', { exact: true }).getByRole('link', { name: 'Settings' }))
  await press(page, page.getByRole('button', { name: 'Move', exact: true }))
  const dialog = page.getByRole('dialog')
  await press(page, dialog.getByRole('button', { name: 'Move' }))
  await page.getByText('It lives in a database of its own.').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('an import is cancelled, and one outlasts a lost connection', async () => {
  const { page, check } = await room.visit('/organizations/demo/imports', room.adminKey)
  const lines = Array.from({ length: 6_000 }, (_, index) => `many-${index},Customer ${index}\n`)
  const buffer = Buffer.from(`contactId,firstName\n${lines.join('')}`)
  await page.getByLabel('What the rows are').selectOption('contacts')
  await page.getByLabel('Choose a file').setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer })
  await page.route('**/parts/*', () => undefined)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'receiving' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Cancel the import' }).click()
  await page.getByText('The import is given up. Nothing of it was written.').waitFor()
  await page.getByRole('row').filter({ hasText: 'aborted' }).waitFor()
  await page.unroute('**/parts/*')

  let parts = 0
  await page.route('**/parts/*', async (route) => {
    parts += 1
    await (parts === 1 ? route.abort('connectionreset') : route.continue())
  })
  await page.getByRole('button', { name: 'Preview' }).click()
  await page
    .getByText('Rows: 6000 read: 6000 would be new, 0 changed, 0 unchanged, 0 merged. Nothing is wrong.')
    .waitFor()
  expect(parts).toBe(2)
})

test('an email that failed is retried when its cause is gone, by a support key too, and sent', async () => {
  const directory = scratchDirectory()
  const file = (name: string, content: unknown): string => {
    const path = join(directory, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  await room.operator('org', 'create', '--id', 'mute', '--name', 'Mute Wash')
  const form = {
    ...{ formId: 'mute-contact', name: 'Contact', isPublished: true },
    fields: [{ id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' }],
  }
  await room.operator('form', 'save', file('form.json', form), '--org', 'mute')
  const thanks = { type: 'send_email', to: 'contact', subject: 'Thank you', html: '<p>Thank you</p>' }
  const automation = {
    ...{ automationId: 'thanks', name: 'Thanks', status: 'active', createdAt: '2026-01-01T00:00:00Z' },
    ...{ trigger: { type: 'form_submission', formId: 'mute-contact' }, steps: [thanks] },
  }
  await room.operator('import', 'automations', file('automations.ndjson', automation), '--org', 'mute')
  const submitted = await fetch(`${room.service.origin}/api/forms/mute-contact/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ _gotcha: '', email: 'ada@example.com' }),
  })
  expect(submitted.status).toBe(200)
  const outbox = `${room.service.origin}/operator/v1/outbox?organizationId=mute`
  const states = async (): Promise<string> => {
    const response = await fetch(outbox, { headers: { authorization: `Bearer ${room.adminKey}` } })
    return JSON.stringify(await response.json())
  }
  await expect.poll(states, { timeout: 30_000, interval: 300 }).toContain('"status":"failed"')

  const key = await room.operator('key', 'issue', '--operator', 'helper', '--role', 'support')
  const { page, check } = await room.visit('/organizations/mute/outbox', key)
  const tab = (name: string) => page.getByLabel('Organization', { exact: true }).getByRole('link', { name })
  await page.getByText('The organization has no slug to send email from.').waitFor()
  await page.getByText('failed', { exact: true }).waitFor()
  await check()
  await room.operator('org', 'create', '--id', 'mute', '--slug', 'mute')
  await page.getByRole('button', { name: /^Retry / }).click()
  await page.getByText('pending', { exact: true }).waitFor()
  // The local service sweeps the outbox every minute; this is the next one.
  await fetch(`${room.service.origin}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`)
  await page.getByText('Nothing waits and nothing failed.').waitFor()
  await tab('Sends').click()
  await page.getByRole('row').filter({ hasText: 'ada@example.com' }).waitFor()
  await check()
})

test('the pages of an organization in every view', async () => {
  await room.inEveryView('imports', '/organizations/demo/imports', room.adminKey, 'Sparkle Car Wash')
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { operate } from '../../../support/services/started-service.ts'
import type { ConsoleRoom } from './console-room.ts'
import { openConsoleRoom } from './console-room.ts'

/** What is done with an organization as a whole. */
let room: ConsoleRoom

beforeAll(async () => {
  room = await openConsoleRoom()
}, 240_000)
afterAll(async () => {
  await room.close()
})

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

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the archive' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('lakeside.tar')
  const archive = await download.path()
  await page.getByText('The archive is complete').waitFor()

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
  const { page, check } = await room.visit('/organizations/demo', room.adminKey)
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
  const { page, check } = await room.visit('/organizations/demo', key)
  await page.getByText('Sender of email').waitFor()
  const within = page.getByRole('main')
  expect(await within.getByRole('button').allInnerTexts()).toEqual(['Copy'])
  expect(await within.getByRole('textbox').count()).toBe(0)
  await check()
  await page.getByRole('link', { name: 'Organizations' }).first().click()
  await page.getByRole('table', { name: 'Organizations' }).waitFor()
  expect(await within.getByRole('button').count()).toBe(0)
})

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveSite } from '../stage.ts'
import type { ConsoleRoom, ConsoleVisit } from './console-room.ts'
import { openConsoleRoom } from './console-room.ts'
import { choose, press, type } from './keyboard.ts'

/** Forms made, changed and put on a site in the console. */
let room: ConsoleRoom

beforeAll(async () => {
  room = await openConsoleRoom()
}, 240_000)
afterAll(async () => {
  await room.close()
})

const button = ({ page }: ConsoleVisit, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const labelled = ({ page }: ConsoleVisit, name: string) =>
  page.locator('.editor > :first-child').getByLabel(name, { exact: true })

async function addField(visit: ConsoleVisit, typeName: string, label: string): Promise<void> {
  const { page } = visit
  await choose(page, labelled(visit, 'New field'), typeName)
  await press(page, button(visit, 'Add the field'))
  await type(page, labelled(visit, 'Label'), label)
}

test('from the link that signs in to a form made by keyboard, put on a page of another origin, and submitted', async () => {
  const visit = await room.visit('', room.adminKey)
  const { page, check, screenshot } = visit
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  await press(page, link('Organizations').first())
  await press(page, link('Sparkle Car Wash'))
  await press(page, link('Forms'))
  await press(page, link('New form'))
  await type(page, labelled(visit, 'Name'), 'After the wash')
  await addField(visit, 'Email', 'Your email')
  await press(page, labelled(visit, 'Required'), 'Space')
  await addField(visit, 'Single', 'How was it?')
  await type(page, labelled(visit, 'Option 1'), 'Good')
  await type(page, labelled(visit, 'Option 2'), 'Bad')
  await addField(visit, 'Long', 'What went wrong?')
  await press(page, button(visit, 'Add a condition'))
  await choose(page, labelled(visit, 'Answer to'), 'How')
  await choose(page, labelled(visit, 'Compared by'), 'equals')
  await choose(page, labelled(visit, 'Value'), 'Bad')
  await check()

  // The preview is the form client on what is not saved.
  const preview = page.locator('.preview')
  expect(await preview.getByLabel('What went wrong?').isVisible()).toBe(false)
  await press(page, preview.getByLabel('Good'), 'ArrowDown')
  await preview.getByLabel('What went wrong?').waitFor()
  await check()
  await screenshot('console-editor-made')

  await page.getByText('There are changes that are not saved.').waitFor()
  await press(page, button(visit, 'Save and publish'))
  await page.getByText('Saved. The form takes submissions.').waitFor()
  await page.waitForURL(/\/forms\/after_the_wash\/edit$/)
  await page.getByText('All changes are saved.').waitFor()
  await press(page, link('Put it on your site'))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(page, button(visit, 'Copy the page'))
  await page.getByText('Copied the page.').waitFor()
  const html = await page.evaluate(() => navigator.clipboard.readText())

  const site = await serveSite(() => ({ type: 'text/html', body: html }))
  const visitor = await page.context().newPage()
  await visitor.goto(site.url)
  await visitor.getByLabel('Your email').fill('ada@example.com')
  await visitor.getByLabel('Bad').check()
  await visitor.getByLabel('What went wrong?').fill('Wax on the mirror')
  await visitor.getByRole('button', { name: 'Send' }).click()
  await visitor.getByText('Thank you').waitFor()
  await visitor.close()
  site.close()

  await press(page, link('Submissions').last())
  await page.getByRole('row').filter({ hasText: 'Wax on the mirror' }).waitFor()
  await check()
  const downloading = page.waitForEvent('download')
  await press(page, button(visit, 'Download CSV'))
  const download = await downloading
  expect(download.suggestedFilename()).toBe('after_the_wash-submissions.csv')
  const csv = readFileSync(await download.path(), 'utf8')
  const command = await room.operator(
    'submissions',
    'list',
    '--org',
    'demo',
    '--form',
    'after_the_wash',
    '--csv',
  )
  expect(csv.trim()).toBe(command.trim())
  expect(csv).toMatch(
    /^\uFEFFsubmissionId,submittedAt,formId,contactId,your_email,how_was_it,what_went_wrong\r\n/,
  )
  expect(csv).toContain(',ada@example.com,bad,Wax on the mirror')
  await visit.close()
})

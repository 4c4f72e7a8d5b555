import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../../host-worker/local/project.ts'
import { useConsoleRoom } from './console-room.ts'

/** The guide “Your first form in five minutes” followed in the console: each name in bold is one that the page has. */
const room = useConsoleRoom()

const guide = readFileSync(join(projectRoot, 'host-worker', 'guides', 'first-form.md'), 'utf8')
const [, inConsole = ''] = guide.split(/^## (?:In the console|Further)$/m)
const names = [...inConsole.matchAll(/\*\*(.+?)\*\*/g)].map(([, name = '']) => name)

/** What a person writes before, or does in place of, pressing what has a name. */
const written: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  Create: async (page) => {
    await page.getByRole('dialog').getByLabel('Identifier').fill('pier-console')
    await page.getByRole('dialog').getByLabel('Name').fill('Pier Wash')
  },
  'Notification emails': async (page) => {
    await page.getByLabel('Name', { exact: true }).fill('Book a wash')
    await page.getByLabel('Identifier', { exact: true }).fill('pier-console-booking')
  },
  'Add an option': async (page) => {
    await page.keyboard.type('Your email')
    await addField(page, 'Single choice', 'Which wash?')
    // The preview beside it has radio buttons of the same names.
    await page.getByRole('textbox', { name: 'Option 1', exact: true }).fill('Basic')
    await page.getByRole('textbox', { name: 'Option 2', exact: true }).fill('Deluxe')
  },
  'Add a condition': async (page) => {
    await page.getByRole('textbox', { name: 'Option 3', exact: true }).fill('Something else')
    await addField(page, 'Consent', 'You may keep this.')
    await addField(page, 'Short text', 'What else?')
  },
}

async function addField(page: Page, type: string, label: string): Promise<void> {
  await page.getByLabel('New field').selectOption({ label: type })
  await named(page, 'Add the field').click()
  await page.keyboard.type(label)
}

/** What is written or chosen in a control with a name. */
const controls: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'Notification emails': (page) => page.getByLabel('Notification emails').fill('desk@example.com'),
  'New field': (page) => page.getByLabel('New field').selectOption({ label: 'Email' }),
  Language: (page) => page.getByLabel('Language').selectOption({ label: 'German' }),
  'Compared by': async (page) => {
    const answer = page.getByLabel('Answer to')
    expect(await answer.locator('option:checked').innerText()).toBe('Which wash?')
    await page.getByLabel('Compared by').selectOption({ label: 'equals' })
    await page.getByLabel('Value', { exact: true }).selectOption({ label: 'Something else' })
  },
}

test('the steps of the guide lead to a live form, its page, and the submission', async () => {
  expect(names.length).toBeGreaterThan(8)
  const { page, check } = await room.visit('', room.adminKey)
  for (const name of names) {
    await written[name]?.(page)
    if (name === 'Open') await fillIn(page, await openedBy(page))
    else await (controls[name]?.(page) ?? named(page, name).click())
    if (name === 'Save and publish') await page.getByText('Saved. The form takes submissions.').waitFor()
  }
  await page
    .getByRole('row')
    .filter({ hasText: 'Your email guest@example.com' })
    .locator('.unread')
    .first()
    .waitFor()
  await check()
  const mailbox = async () => {
    const response = await fetch(`${room.service.origin}/mailbox`, {
      headers: { accept: 'application/json' },
    })
    return ((await response.json()) as { messages: { to: string; subject: string }[] }).messages
  }
  await expect
    .poll(async () =>
      (await mailbox()).filter(({ to }) => to === 'desk@example.com').map(({ subject }) => subject),
    )
    .toEqual(['Neue Einsendung: Book a wash'])
}, 120_000)

function named(page: Page, name: string) {
  return page
    .getByRole('link', { name, exact: true })
    .or(page.getByRole('button', { name, exact: true }))
    .first()
}

/** The page that the console opens in another tab. */
async function openedBy(page: Page): Promise<Page> {
  const opening = page.context().waitForEvent('page')
  await named(page, 'Open').click()
  return opening
}

async function fillIn(console: Page, form: Page): Promise<void> {
  await form.getByLabel('Your email').fill('guest@example.com')
  await form.getByLabel('Something else').check()
  await form.getByLabel('What else?').fill('The boat')
  await form.getByRole('button', { name: 'Senden' }).click()
  await form.getByText('Vielen Dank').waitFor()
  await form.close()
  await console.bringToFront()
}

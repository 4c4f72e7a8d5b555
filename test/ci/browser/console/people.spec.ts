import { expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'
import { press, reach, type } from './keyboard.ts'

/** People: invited, signed in by a link, at work in their organization, and signed out again. By keyboard alone. */
const room = useConsoleRoom()

/** The link of the newest email to an address. */
async function linkTo(email: string): Promise<string> {
  for (let tries = 0; tries < 50; tries += 1) {
    const found = (
      await (
        await fetch(`${room.service.origin}/mailbox?search=${email}`, {
          headers: { accept: 'application/json' },
        })
      ).text()
    ).match(/console\/sign-in#([\w-]{43})/)
    if (found !== null) return `${room.service.origin}/${found[0]}`
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No link was sent to ${email}`)
}

test('an owner is invited, signs in by the link, edits a form, sees a submission, and signs out', async () => {
  const invited = `ada-${Date.now()}@lakeside.example`
  const admin = await room.visit('/organizations/demo/people', room.adminKey)
  await press(admin.page, admin.page.getByRole('button', { name: 'Add a person' }))
  const dialog = admin.page.getByRole('dialog')
  await type(admin.page, dialog.getByLabel('Email address'), invited)
  await reach(admin.page, dialog.getByLabel('Role'))
  await admin.page.keyboard.type('Owner')
  await type(admin.page, dialog.getByLabel('Name'), 'Ada')
  await admin.check()
  await admin.screenshot('console-people-add')
  await press(admin.page, dialog.getByRole('button', { name: 'Add' }))
  await admin.page.getByText(`${invited} can sign in now, as owner.`).waitFor()
  await admin.check()
  await admin.screenshot('console-people')
  await admin.close()

  const ada = await room.visit('')
  const { page, check, screenshot } = ada
  await type(page, page.getByLabel('Email address'), invited)
  await check()
  await screenshot('console-sign-in')
  await page.keyboard.press('Enter')
  await page.getByText('a link is on its way').waitFor()
  await check()
  const link = await linkTo(invited)
  const elsewhere = await room.visit('')
  await elsewhere.page.goto(link)
  await elsewhere.page.getByText('works in the browser that asked for it').waitFor()
  await elsewhere.check()
  await elsewhere.close()

  await page.goto(link)
  await page.getByRole('table', { name: 'Submissions' }).waitFor()
  expect(page.url()).toBe(`${room.service.origin}/console/organizations/demo/submissions`)
  expect(await page.locator('.who').innerText()).toMatch(/Ada\s+ada-.*\s+Sparkle Car Wash, owner/)
  await check()
  await screenshot('console-owner')
  await press(page, page.getByRole('table', { name: 'Submissions' }).getByRole('link').first())
  await page.getByRole('heading', { name: 'Answers' }).or(page.getByText('Answers')).first().waitFor()
  await check()

  await press(page, page.getByRole('link', { name: 'Forms', exact: true }))
  await press(page, page.getByRole('table', { name: 'Forms' }).getByRole('link').first())
  await press(page, page.getByRole('link', { name: 'Edit' }))
  const editor = page.locator('.editor > :first-child')
  await type(page, editor.getByLabel('Name', { exact: true }).first(), `Ask us ${Date.now()}`)
  await press(page, page.getByRole('button', { name: 'Save', exact: true }))
  await page.getByText('All changes are saved.').waitFor()

  for (const tab of ['Data', 'Analytics', 'Imports', 'Keys', 'People']) {
    await press(page, page.getByRole('link', { name: tab, exact: true }))
    await page.waitForURL(new RegExp(`/organizations/demo/${tab.toLowerCase()}`))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await check()
    await screenshot(`console-owner-${tab.toLowerCase()}`)
  }
  const tabs = await page.getByRole('navigation', { name: 'Organization' }).getByRole('link').allInnerTexts()
  expect(tabs).toEqual([
    'Submissions',
    'Forms',
    'Data',
    'Analytics',
    'Imports',
    'Keys',
    'Webhooks',
    'Deliveries',
    'People',
  ])

  await press(page, page.getByRole('link', { name: 'Account' }))
  await page.getByText('this one').waitFor()
  await check()
  await screenshot('console-account')
  await press(page, page.getByRole('button', { name: 'Sign out', exact: true }))
  await page.getByText('You are signed out.').waitFor()
  await page.reload()
  await page.getByLabel('Email address').waitFor()
  await check()
}, 180_000)

test('a member sees no keys, imports or people, and what a tab of another person’s session does not go on as theirs', async () => {
  const email = `kim-${Date.now()}@lakeside.example`
  await room.operator('person', 'add', email, '--org', 'demo', '--role', 'member')
  const kim = await room.visit('')
  const { page, check } = kim
  await page.getByLabel('Email address').fill(email)
  await page.keyboard.press('Enter')
  await page.getByText('a link is on its way').waitFor()
  await page.goto(await linkTo(email))
  await page.getByRole('table', { name: 'Submissions' }).waitFor()
  const tabs = await page.getByRole('navigation', { name: 'Organization' }).getByRole('link').allInnerTexts()
  expect(tabs).toEqual(['Submissions', 'Forms', 'Data', 'Analytics'])
  await page.getByRole('link', { name: 'Data' }).click()
  await page.locator('main').getByRole('link', { name: 'Contact lists' }).waitFor()
  const collections = await page.locator('main .plain-list').getByRole('link').allInnerTexts()
  expect(collections.toSorted()).toEqual(['Contact lists', 'Contacts', 'Forms', 'Submissions of all forms'])
  await page.goto(`${room.service.origin}/console/organizations/demo/data/vouchers`)
  await page.getByText('There is no collection at this address.').waitFor()
  await page.goto(`${room.service.origin}/console/organizations/demo/data/contacts`)
  await page.getByRole('table', { name: 'Contacts' }).getByRole('link').first().click()
  await page.waitForURL(/\/console\/organizations\/demo\/data\/contacts\/.+/)
  await check()
  // Another tab signs in with a key: this one shows whom the browser is signed in as.
  const other = await page.context().newPage()
  await other.goto(`${room.service.origin}/console#${room.adminKey}`)
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await expect.poll(() => page.locator('.who').innerText()).toMatch(/Operator, admin/)
  // The removed person is out with the next click.
  await other.close()
  await kim.close()
}, 120_000)

test('every page in every view', async () => {
  await room.inEveryView('people', '/people', room.adminKey, 'People')
  await room.inEveryView('account', '/account', room.adminKey, 'Account')
  await room.inEveryView('as-organization', '/organizations/demo/data/contacts', room.adminKey, 'Contacts')
}, 180_000)

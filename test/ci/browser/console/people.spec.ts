import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../support/services/started-service.ts'
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

/** Opens the console as a person, by the link that they ask for. */
async function visitAs(email: string) {
  const visit = await room.visit('')
  await visit.page.getByLabel('Email address').fill(email)
  await visit.page.keyboard.press('Enter')
  await visit.page.getByText('a link is on its way').waitFor()
  await visit.page.goto(await linkTo(email))
  await visit.page.getByRole('table', { name: 'Submissions' }).waitFor()
  return visit
}

/** Opens every page to which the console leads, one of each kind, and returns the requests that the role does not open. */
async function refusedOnEveryPage(page: Page): Promise<readonly string[]> {
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(`${page.url()} asked for ${response.url()}`)
  })
  const idIn = /(?<=\/(?:submissions|forms|webhooks|data\/[\w-]+)\/)(?!submissions$)[^/]+/
  // What a key reads is asked of every collection elsewhere (test/contract/operator/people.test.ts).
  const isDeep = /\/data\/(?:(?!contact|forms)|(?:[^/]+\/){3})/
  const kinds = new Set<string>()
  const waiting = [new URL(page.url()).pathname]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = path.replace(idIn, 'ID')
    if (kinds.has(kind) || isDeep.test(path)) continue
    kinds.add(kind)
    await page.goto(room.service.origin + path, { waitUntil: 'networkidle' })
    const links = page.locator('a[href^="/console/"]')
    const found = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname))
    waiting.push(...found)
  }
  expect(kinds.size).toBeGreaterThan(12)
  return refused
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
    'Export',
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

test('an owner is refused nothing that the console shows, exports without secrets, and erases a contact that sent nothing', async () => {
  const now = Date.now()
  const email = `olga-${now}@lakeside.example`
  const colleague = `sam-${now}@ops.example`
  const contactId = `con-${now}`
  const file = join(scratchDirectory(), 'contacts.ndjson')
  writeFileSync(file, JSON.stringify({ contactId, firstName: 'Leah', email: `leah-${now}@example.com` }))
  await room.operator('import', 'contacts', '--org', 'demo', file)
  await room.operator('person', 'add', email, '--org', 'demo', '--role', 'owner')
  await room.operator('person', 'add', colleague, '--org', 'demo', '--role', 'support')
  const { page, check, screenshot, close } = await visitAs(email)
  expect(await refusedOnEveryPage(page)).toEqual([])

  await page.getByRole('link', { name: 'Export', exact: true }).click()
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await check()
  await screenshot('console-owner-export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the archive' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('demo.tar')
  await page.getByText('The archive is complete').waitFor()

  // Whose role the owner does not have, the owner does not change.
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('button', { name: `Change ${email}` }).waitFor()
  expect(await page.getByRole('button', { name: colleague }).count()).toBe(0)

  await page.goto(`${room.service.origin}/console/organizations/demo/data/contacts/${contactId}`)
  await page.getByRole('heading', { level: 1, name: 'Leah' }).waitFor()
  await check()
  await page.getByRole('button', { name: 'Erase this person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type ${contactId} to confirm`).fill(contactId)
  await check()
  await screenshot('console-owner-erase')
  await dialog.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('The person was erased.').waitFor()
  await page.getByRole('heading', { level: 1, name: contactId }).waitFor()
  await close()
}, 240_000)

test('a person who was changed or added meanwhile is not changed unseen', async () => {
  const email = `bo-${Date.now()}@lakeside.example`
  const change = (role: string) => room.operator('person', 'add', email, '--org', 'demo', '--role', role)
  const role = async () =>
    (await room.operator('person', 'list', '--org', 'demo')).split('\n').find((line) => line.includes(email))
  await change('member')
  const { page, check, screenshot, close } = await room.visit('/organizations/demo/people', room.adminKey)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: `Change ${email}` }).click()
  await dialog.getByLabel('Name').fill('Bo')
  await change('owner')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Somebody else changed this after you opened it').waitFor()
  await check()
  await screenshot('console-people-overtaken')
  expect(await role()).toContain('owner')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // The dialog begins with how they are now, also when the list is older.
  await page.getByRole('row').filter({ hasText: email }).getByText('owner').waitFor()
  await change('support')
  await page.getByRole('button', { name: `Change ${email}` }).click()
  expect(await dialog.getByLabel('Role').inputValue()).toBe('support')
  await dialog.getByLabel('Role').selectOption('member')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`${email} is member now.`).waitFor()

  await page.getByRole('button', { name: 'Add a person' }).click()
  await dialog.getByLabel('Email address').fill(email)
  await dialog.getByLabel('Role').selectOption('owner')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('This person is here already.').waitFor()
  await check()
  expect(await role()).toContain('member')
  await close()
}, 120_000)

test('a member sees no keys, imports or people, and what a tab of another person’s session does not go on as theirs', async () => {
  const email = `kim-${Date.now()}@lakeside.example`
  await room.operator('person', 'add', email, '--org', 'demo', '--role', 'member')
  const kim = await visitAs(email)
  const { page, check, screenshot } = kim
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
  expect(await page.getByRole('button', { name: 'Erase this person' }).count()).toBe(0)
  await check()

  expect(await refusedOnEveryPage(page)).toEqual([])
  // What the role does not open is not there, whatever address is typed.
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  for (const closed of [
    'keys',
    'imports',
    'export',
    'webhooks',
    'deliveries',
    'people',
    'settings',
    'sends',
  ]) {
    await page.goto(`${room.service.origin}/console/organizations/demo/${closed}`)
    await page.getByText('There is no page at this address.').waitFor()
  }
  expect(
    asked.filter(
      (url) => /(?:keys|imports|people|sends|webhooks)(?:$|\?)/.test(url) && url.includes('/operator/'),
    ),
  ).toEqual([])
  await page.goto(`${room.service.origin}/console/organizations/demo/forms/demo-contact/after`)
  await page.getByRole('table', { name: 'Forms' }).waitFor()
  await page.goto(`${room.service.origin}/console/organizations/demo/forms/demo-contact/edit`)
  await page.getByRole('link', { name: 'Versions', exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'After a submission' }).count()).toBe(0)

  // What would take a form offline is an owner's: it is said before anything is sent.
  const file = join(scratchDirectory(), 'form.json')
  const colour = { id: 'colour', type: 'short_text', label: 'Colour' }
  const visibleWhen = { match: 'all', rules: [{ field: 'colour', operator: 'is_not_empty' }] }
  const why = { id: 'why', type: 'short_text', label: 'Why?', visibleWhen }
  writeFileSync(
    file,
    JSON.stringify({ formId: 'of-kim', name: 'Live', isPublished: true, fields: [colour, why] }),
  )
  await room.operator('form', 'save', '--org', 'demo', file)
  await page.goto(`${room.service.origin}/console/organizations/demo/forms/of-kim/edit`)
  await page.getByRole('button', { name: 'Remove Colour' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('only an owner of the organization takes a form offline').waitFor()
  await check()
  await screenshot('console-member-offline')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Bring back “Colour”' }).click()
  await page.getByText('All changes are saved.').waitFor()

  // Another tab signs in with a key: this one shows whom the browser is signed in as.
  const other = await page.context().newPage()
  await other.goto(`${room.service.origin}/console#${room.adminKey}`)
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await expect.poll(() => page.locator('.who').innerText()).toMatch(/Operator, admin/)
  await other.close()
  // Where the session has ended, what an organization reads itself is no longer shown either.
  await page.goto(`${room.service.origin}/console/organizations/demo/data`)
  await page.locator('main').getByRole('link', { name: 'Contact lists' }).waitFor()
  await page.context().clearCookies()
  await page.locator('main').getByRole('link', { name: 'Contact lists' }).click()
  await page.getByLabel('Email address').waitFor()
  await kim.close()
}, 120_000)

test('every page in every view', async () => {
  await room.inEveryView('people', '/people', room.adminKey, 'People')
  await room.inEveryView('export', '/organizations/demo/export', room.adminKey, 'Sparkle Car Wash')
  await room.inEveryView('account', '/account', room.adminKey, 'Account')
  await room.inEveryView(
    'contact',
    '/organizations/demo/data/contacts/contact-0101',
    room.adminKey,
    'Liam Wójcik',
  )
  await room.inEveryView('as-organization', '/organizations/demo/data/contacts', room.adminKey, 'Contacts')
}, 180_000)

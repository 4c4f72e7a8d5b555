import { expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'

/** What a tenant sees of its own data. */
const room = useConsoleRoom()

interface Listed {
  readonly data: readonly Record<string, string>[]
  readonly pagination: { readonly nextCursor: string | null }
}

async function read<Body = Listed>(path: string, key = room.service.demoKey): Promise<Body> {
  const response = await fetch(`${room.service.origin}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return (await response.json()) as Body
}

/** What the page of a contact is headed by. */
function nameOf({ firstName, lastName, email, phone }: Listed['data'][number]): string {
  return [firstName, lastName].join(' ').trim() || (email ?? phone ?? '')
}

test('a collection is paged to its last row, and filtered by what is in the address', async () => {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Listed = await read(`contacts?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`)
    ids.push(...page.data.map(({ contactId = '' }) => contactId))
    cursor = page.pagination.nextCursor
  }
  expect(ids.length).toBeGreaterThan(500)
  const { page, check } = await room.visit('/data/contacts', room.service.demoKey)
  const table = page.getByRole('table', { name: 'Contacts' })
  await table.waitFor()
  const last = page.getByRole('link', { name: ids.at(-1) ?? '', exact: true })
  await expect
    .poll(
      async () => {
        await page.evaluate(() => {
          window.scrollTo(0, document.documentElement.scrollHeight)
        })
        return last.count()
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe(1)
  expect(await table.getAttribute('aria-rowcount')).toBe(String(ids.length + 1))

  const [site] = (await read('sites?limit=1')).data
  await page.getByLabel('Site id').fill(site?.siteId ?? '')
  await page.getByLabel('Created after').fill('2025-01-01')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/\/data\/contacts\?siteId=.*createdAfter=2025-01-01T/)
  const since = new URL(page.url()).searchParams.get('createdAfter') ?? ''
  const wanted = await read(`contacts?siteId=${site?.siteId ?? ''}&createdAfter=${since}&limit=100`)
  await page.getByRole('link', { name: wanted.data[0]?.contactId ?? '', exact: true }).waitFor()
  expect(page.url()).not.toContain('ck_live_')
  await check()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('link', { name: ids[0] ?? '', exact: true }).waitFor()
}, 180_000)

test('a row leads to the rows that it names, and to those that name it', async () => {
  const submission = (await read('forms/submissions?limit=100')).data.find(({ contactId }) => contactId)
  // Other tests add submissions to the same service, and only rows within the window are drawn.
  const path = `/data/forms/submissions?contactId=${submission?.contactId ?? ''}`
  const { page } = await room.visit(path, room.service.demoKey)
  await page.getByRole('button', { name: submission?.submissionId ?? '' }).click()
  await page.getByRole('dialog').getByText('Answers').waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('link', { name: submission?.contactId ?? '', exact: true })
    .first()
    .click()
  const contact = await read<Listed['data'][number]>(`contacts/${submission?.contactId ?? ''}`)
  await page.getByRole('heading', { level: 1, name: nameOf(contact), exact: true }).waitFor()
  await page.getByText('Email consent').waitFor()
  await page.getByRole('link', { name: 'Submissions of all forms' }).click()
  await page.waitForURL(/forms\/submissions\?contactId=/)
  await page.getByRole('button', { name: submission?.submissionId ?? '' }).waitFor()
  const [list] = (await read('contact-lists?limit=1')).data
  await page.goto(
    `${room.service.origin}/console/data/contact-lists/${list?.listId ?? ''}#${room.service.demoKey}`,
  )
  await page.getByRole('link', { name: 'Contacts of a list' }).click()
  const contacts = page.getByRole('table', { name: 'Contacts of a list' })
  await contacts.waitFor()
  await expect.poll(() => contacts.getByRole('row').count()).toBeGreaterThan(1)
}, 90_000)

test('a submission that is not among the newest of its list is not looked for without end', async () => {
  const { page } = await room.visit('/submissions', room.service.demoKey)
  await page.getByRole('table', { name: 'Submissions' }).waitFor()
  const [first] = (await read('forms/submissions?limit=1')).data
  let asked = 0
  await page.route('**/api/v1/forms/submissions?*', async (route) => {
    asked += 1
    const data = Array.from({ length: 100 }, (_, index) => ({
      ...first,
      submissionId: `s-${asked}-${index}`,
    }))
    await route.fulfill({
      json: { data, pagination: { limit: 100, hasMore: true, nextCursor: `c-${asked}` } },
    })
  })
  await page.goto(`${room.service.origin}/console/submissions/sub_old`)
  await page.getByText('There is no such submission in this list.').waitFor()
  await page.getByText('The newest 2,000 were looked through.').waitFor()
  expect(asked).toBe(20)
  expect(await page.getByText('Looking for it').count()).toBe(0)
}, 90_000)

test('a collection that this organization does not have is a sentence, and so is an id of nothing', async () => {
  const { page, check } = await room.visit('/data/pos/transactions', room.service.demoKey)
  await page.getByText('There is nothing to show here.').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await check()
  await page.goto(`${room.service.origin}/console/data/contacts/nobody#${room.service.demoKey}`)
  await page.getByText('There is nothing at this address.').waitFor()
}, 90_000)

test('a key that ends in between leads to the sign-in, and back to the same place', async () => {
  const key = (await room.operator('key', 'issue', '--org', 'demo')).trim()
  const { page } = await room.visit('/data/sites', key)
  await page.getByRole('table', { name: 'Sites' }).waitFor()
  await page.route('**/api/v1/sites/**', (route) =>
    route.fulfill({ status: 401, json: { error: 'Unauthorized.' } }),
  )
  await page.getByRole('table', { name: 'Sites' }).getByRole('link').first().click()
  await expect.poll(() => page.getByRole('status').innerText()).toContain('You were signed out')
  await page.unroute('**/api/v1/sites/**')
  await page.getByLabel('Key').fill(room.service.demoKey)
  await page.getByLabel('Key').press('Enter')
  await page.getByText('Time zone', { exact: false }).or(page.getByText('Timezone')).first().waitFor()
}, 90_000)

test('every page in every view', async () => {
  const [contact] = (await read('contacts?limit=1')).data
  if (contact === undefined) throw new Error('There is no contact')
  const id = contact.contactId ?? ''
  await room.inEveryView('data', '/data', room.service.demoKey, 'Data')
  await room.inEveryView('data-purchases', '/data/purchases?status=paid', room.service.demoKey, 'Purchases')
  await room.inEveryView('data-contact', `/data/contacts/${id}`, room.service.demoKey, nameOf(contact))
}, 180_000)

import { expect, test } from 'vitest'
import { useConsoleRoom } from './console-room.ts'

/** What every page of the console relies on: serving, signing in and out, navigation, and the look. */
const room = useConsoleRoom()

test('the link of npm start signs in, its key is nowhere afterwards, and a reload keeps the session', async () => {
  const { page, check } = await room.visit('', room.adminKey)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(page.url()).toBe(`${room.service.origin}/console`)
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))
  expect(stored).toBe('[{},{},""]')
  expect(await page.content()).not.toContain('ok_live_')
  await check()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const logged = room.service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  expect(logged.length).toBeGreaterThan(0)
  expect(logged.join('\n')).not.toContain(room.adminKey)
})

test('a wrong key is refused with a sentence, and a right one leads to the place of the address', async () => {
  const { page, check } = await room.visit('/organizations/demo/settings')
  const notice = page.getByRole('status')
  const key = page.getByLabel('Key')
  await key.fill('hello')
  await key.press('Enter')
  await expect.poll(() => notice.innerText()).toContain('This is not a key of this service')
  await key.fill('ok_live_0000000000000000000000000000000000000000000000')
  await key.press('Enter')
  await expect.poll(() => notice.innerText()).toContain('is not accepted')
  await check()
  await key.fill(` ${room.adminKey} `)
  await key.press('Enter')
  await page.getByText('Sender of email').waitFor()
  expect(await page.title()).toContain('Console')
  await check()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => notice.innerText()).toContain('You are signed out.')
})

test('a session ends with its key, and keeps the place', async () => {
  const key = await room.operator('key', 'issue', '--operator', 'ending', '--role', 'support')
  const { page } = await room.visit('/organizations', key)
  await page.getByRole('link', { name: 'Overview' }).waitFor()
  expect(await page.locator('.who').innerText()).toMatch(/ending\s+Operator, support/)
  const keyId = await page.evaluate(async (bearer) => {
    const response = await fetch('/operator/v1/health', { headers: { authorization: `Bearer ${bearer}` } })
    return ((await response.json()) as { operatorKeyId: string }).operatorKeyId
  }, key)
  await room.operator('key', 'revoke', keyId)
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect.poll(() => page.getByRole('status').innerText()).toContain('You were signed out')
  expect(page.url()).toBe(`${room.service.origin}/console/`)
})

test('a page that is offline says so, and tries again when asked', async () => {
  const { page } = await room.visit('', room.adminKey)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.context().route('**/operator/**', (route) => route.abort('internetdisconnected'))
  await page.getByRole('link', { name: 'Organizations' }).click()
  await page.getByText('cannot be reached').waitFor()
  await page.context().unroute('**/operator/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'Organizations' }).waitFor()
  expect(await page.getByText('cannot be reached').count()).toBe(0)
})

test('pages are reached by keyboard, and take the focus and the title', async () => {
  const { page } = await room.visit('', room.adminKey)
  await page.getByRole('link', { name: 'Organizations' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('h1:focus').allInnerTexts()).toEqual(['Organizations'])
  await expect.poll(() => page.title()).toBe('Organizations – Console')
  await page.getByRole('link', { name: 'Sparkle Car Wash' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('table', { name: 'Submissions' }).waitFor()
  await page.goBack()
  await page.getByRole('table', { name: 'Organizations' }).waitFor()
})

test('every page in every view', async () => {
  await room.inEveryView('overview', '', room.adminKey, 'Overview')
  await room.inEveryView('organizations', '/organizations', room.adminKey, 'Organizations')
  await room.inEveryView('organization', '/organizations/demo/settings', room.adminKey, 'Sparkle Car Wash')
  await room.inEveryView('home', '', room.service.demoKey, 'Home')
  await room.inEveryView('not-found', '/nothing/here', room.adminKey, 'Not found')
})

test('on a phone, the chart has names of their full size beside each other, and every tab is there', async () => {
  const { page } = await room.visit('', room.adminKey, { viewport: { width: 390, height: 844 } })
  const names = page.locator('.chart-bars .tick:visible')
  await names.first().waitFor()
  const placed = await names.evaluateAll((ticks) =>
    ticks.map((tick) => {
      const { left, right } = tick.getBoundingClientRect()
      return { left, right, px: parseFloat(getComputedStyle(tick).fontSize) }
    }),
  )
  expect(placed.length).toBeGreaterThan(2)
  for (const [place, { left, right, px }] of placed.entries()) {
    expect(px).toBeGreaterThanOrEqual(12)
    expect(left).toBeGreaterThan(placed[place - 1]?.right ?? 0)
    expect(right).toBeLessThanOrEqual(390)
  }
  await page.goto(`${room.service.origin}/console/organizations/demo/settings#${room.adminKey}`)
  const tabs = page.getByRole('navigation', { name: 'Organization' }).getByRole('link')
  await tabs.first().waitFor()
  for (const tab of await tabs.all()) {
    const box = await tab.boundingBox()
    expect(box === null ? NaN : box.x + box.width).toBeLessThanOrEqual(390)
  }
  expect(await tabs.count()).toBeGreaterThan(5)
})

test('on a phone, a badge is as wide as its word', async () => {
  const { page } = await room.visit('/organizations/demo/forms', room.adminKey, {
    viewport: { width: 390, height: 844 },
  })
  const badge = page.locator('.table .badge').first()
  await badge.waitFor()
  const paddingPx = await badge.evaluate((found) => {
    const word = document.createRange()
    word.selectNodeContents(found)
    return found.getBoundingClientRect().width - word.getBoundingClientRect().width
  })
  expect(paddingPx).toBeLessThan(24)
})

test('text of the service is shown as text, and ten thousand rows are few elements', async () => {
  const hostile = `<script>document.title='x'</script><img src=x onerror=alert(1)>\u202e${'w'.repeat(10_000)}`
  const data = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ organizationId: `org-${index}`, name: index === 0 ? hostile : `Organization ${index}` },
    ...{
      parentId: null,
      posSource: null,
      analytics: true,
      retentionOfferAnalytics: false,
      billingEvents: false,
    },
  }))
  const { page, check } = await room.visit('', room.adminKey)
  await page.route('**/operator/v1/organizations?**', (route) =>
    route.fulfill({ json: { data, pagination: { limit: 500, hasMore: false, nextCursor: null } } }),
  )
  await page.getByRole('link', { name: 'Organizations' }).click()
  await page.getByText("<script>document.title='x'</script>").waitFor()
  await expect.poll(() => page.title()).toBe('Organizations – Console')
  expect(await page.getByRole('row').count()).toBeLessThan(100)
  await page.evaluate(() => {
    window.scrollTo(0, document.documentElement.scrollHeight)
  })
  await page.getByText('Organization 9999', { exact: true }).waitFor()
  await check()
})

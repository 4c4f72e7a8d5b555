import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Stage, Visit } from './stage.ts'
import { openStage, phone } from './stage.ts'

/** The start page and the reference, as a developer sees them on a desktop or a phone. */
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 120_000)
afterAll(() => stage.close())

const DESK = { viewport: { width: 1280, height: 900 } }
const sizes = [
  ['desk', DESK],
  ['phone', phone],
] as const

function open(path: string, options: (typeof sizes)[number][1]): Promise<Visit> {
  return stage.visit(`${stage.service.origin}${path}`, options)
}

async function isWiderThanTheScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
}

const tags = (page: Page): Promise<number> => page.locator('.opblock-tag').count()

/** Types a search and waits until the reference shows less than before. */
async function search(page: Page, type: () => Promise<void>): Promise<void> {
  await page.waitForSelector('.opblock-tag')
  const before = await tags(page)
  await type()
  await page.waitForFunction((all) => document.querySelectorAll('.opblock-tag').length < all, before)
}

/** Opens an operation of the reference by searching for it. */
async function find(page: Page, phrase: string): Promise<void> {
  await search(page, () => page.fill('.operation-filter-input', phrase))
  await page.locator('.opblock-tag button').first().click()
  await page.locator('.opblock-summary-control').first().click()
  await page.waitForSelector('.code-samples')
}

async function authorize(page: Page): Promise<void> {
  await page.click('.btn.authorize')
  await page.locator('.auth-container input').first().fill(stage.service.demoKey)
  await page.locator('.auth-btn-wrapper .authorize').first().click()
  await page.click('.btn-done')
}

describe.each(sizes)('on a %s', (size, options) => {
  test('the start page leads on', async () => {
    const { page, errors, hosts, screenshot } = await open('/', options)
    const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.textContent))
    expect(links).toEqual(['Reference', 'OpenAPI document', 'Demo forms', 'Mailbox'])
    for (const link of await page.locator('main a').all()) {
      const address = await link.getAttribute('href')
      expect((await fetch(new URL(address ?? '', stage.service.origin))).status).toBe(200)
    }
    expect(await isWiderThanTheScreen(page)).toBe(false)
    await screenshot(`start-${size}`)
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(stage.service.origin).host])
  })

  test('the reference searches, shows samples, and calls the API with a key', async () => {
    const { page, errors, hosts, screenshot } = await open('/docs', options)
    await screenshot(`reference-${size}`)
    await find(page, 'contacts phone')
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toEqual(['/api/v1/contacts'])
    const samples = page.locator('.code-sample')
    for (const sample of await samples.all()) await sample.locator('summary').click()
    const [curl, typescript] = await samples.allInnerTexts()
    expect(curl).toContain(`curl "${stage.service.origin}/api/v1/contacts?limit=50`)
    expect(typescript).toContain("client.GET('/api/v1/contacts'")
    await page.click('button.execute')
    const status = page.locator('.live-responses-table .response-col_status').last()
    await status.waitFor()
    expect(await status.innerText()).toMatch(/^401/)
    await authorize(page)
    await page.click('button.execute')
    await page.waitForFunction(() =>
      document
        .querySelector('.live-responses-table tbody .response-col_status')
        ?.textContent.startsWith('200'),
    )
    expect(await page.locator('.live-responses-table .highlight-code').first().innerText()).toContain(
      '"organizationId": "demo"',
    )
    expect(await isWiderThanTheScreen(page)).toBe(false)
    await screenshot(`reference-tried-${size}`)
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(stage.service.origin).host])
  })
})

test('every operation of the document is shown, and opens', async () => {
  const { page, errors } = await open('/docs', DESK)
  const response = await fetch(new URL('/api/v1/openapi.json', stage.service.origin))
  const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> }
  const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
  await page.waitForSelector('.opblock-tag')
  for (const tag of await page.locator('.opblock-tag button').all()) await tag.click()
  await page.waitForFunction((all) => document.querySelectorAll('.opblock').length === all, count)
  expect(errors).toEqual([])
}, 60_000)

test('the keyboard alone is enough', async () => {
  const { page, errors, screenshot } = await open('/docs', DESK)
  const { keyboard } = page
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement } = document
      return `${activeElement?.tagName ?? ''} ${activeElement?.className ?? ''} ${activeElement?.getAttribute('aria-label') ?? ''}`
    })
  const goTo = async (name: RegExp): Promise<void> => {
    for (let presses = 0; presses < 60 && !name.test(await focused()); presses += 1)
      await keyboard.press('Tab')
    expect(await focused()).toMatch(name)
  }
  await keyboard.press('Tab')
  expect(await focused()).toContain('skip')
  await page.waitForSelector('.opblock-tag')
  await goTo(/btn authorize/)
  await keyboard.press('Enter')
  await page.waitForSelector('.auth-container input')
  await goTo(/^INPUT/)
  await keyboard.type(stage.service.demoKey)
  await keyboard.press('Enter')
  await goTo(/btn-done/)
  await keyboard.press('Enter')
  await goTo(/operation-filter-input/)
  await search(page, () => keyboard.type('retrieve a site'))
  await goTo(/^BUTTON expand-operation/)
  await keyboard.press('Enter')
  await goTo(/opblock-summary-control/)
  await keyboard.press('Enter')
  await page.waitForSelector('.code-samples')
  await goTo(/^SUMMARY/)
  await keyboard.press('Enter')
  await screenshot('reference-keyboard-desk')
  await goTo(/execute/)
  await keyboard.press('Enter')
  await page.waitForFunction(() =>
    document.querySelector('.live-responses-table tbody .response-col_status')?.textContent.startsWith('200'),
  )
  expect(errors).toEqual([])
}, 60_000)

test('the pages say what they may load, and their files what they are', async () => {
  for (const path of ['/', '/docs']) {
    const { headers } = await fetch(new URL(path, stage.service.origin))
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const refused = await fetch(new URL(path, stage.service.origin), { method: 'POST' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  const script = await fetch(new URL('/assets/reference/swagger-ui-bundle.js', stage.service.origin))
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(script.headers.get('x-content-type-options')).toBe('nosniff')
})

import axe from 'axe-core'
import type { BrowserContextOptions, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, phone, type Stage, type Visit } from './stage.ts'

/** The start page and the reference, as a developer sees them on a desktop or a phone. */
let stage: Stage

beforeAll(async () => {
  stage = await openStage()
}, 120_000)
afterAll(() => stage.close())

const DESK = { viewport: { width: 1280, height: 900 } }
const SCHEMES = ['light', 'dark'] as const
const sizes = [
  ['desk', DESK],
  ['phone', phone],
] as const

function open(path: string, options: BrowserContextOptions): Promise<Visit> {
  return stage.visit(`${stage.service.origin}${path}`, options)
}

/** Compares with the screen itself: a phone lays a page that is too wide out on a wider one, and shrinks it. */
async function isWiderThanTheScreen(page: Page): Promise<boolean> {
  const width = page.viewportSize()?.width ?? 0
  return page.evaluate((screen) => document.documentElement.scrollWidth > screen, width)
}

const LIST = '#api/tag/contacts/GET/api/v1/contacts'

/** Opens the operation that the address names, as a link to it does, and its form for a call. */
async function tryCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test Request (get /api/v1/contacts)' }).click()
}

/** Sends the call, and returns the status with which the service answered it. */
async function send(page: Page): Promise<number> {
  const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/contacts')
  await page.getByRole('button', { name: /^Send/ }).first().click()
  return (await answer).status()
}

/** The findings of axe, each with the elements, outside or inside the viewer. */
async function findings(page: Page): Promise<Readonly<Record<'own' | 'viewer', readonly string[]>>> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe: tool } = window as unknown as { readonly axe: typeof axe }
    const { violations } = await tool.run(document)
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => ({
        id,
        inside: document.querySelector(String(target[0]))?.closest('#reference'),
      })),
    )
    const ids = (inside: boolean) => [
      ...new Set(found.filter((each) => (each.inside != null) === inside).map(({ id }) => id)),
    ]
    return { own: ids(false), viewer: ids(true) }
  })
}

/** What axe finds in the viewer itself: names of two buttons, small targets, contrast, and the order of headings. */
const OF_THE_VIEWER = [
  'button-name',
  'target-size',
  'color-contrast',
  'heading-order',
  'region',
  'landmark-unique',
  'scrollable-region-focusable',
  'aria-allowed-attr',
  'label',
  'nested-interactive',
  'landmark-one-main',
]

describe.each(sizes)('on a %s', (size, options) => {
  test('the start page leads on', async () => {
    const { page, errors, hosts, screenshot } = await open('/', options)
    const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.textContent))
    expect(links).toEqual(['Reference', 'Guides', 'Console', 'OpenAPI document', 'Demo forms', 'Mailbox'])
    for (const link of await page.locator('main a').all()) {
      const address = await link.getAttribute('href')
      expect((await fetch(new URL(address ?? '', stage.service.origin))).status).toBe(200)
    }
    expect(await isWiderThanTheScreen(page)).toBe(false)
    await screenshot(`start-${size}`)
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(stage.service.origin).host])
  })

  test('the reference can be read in the light and in the dark', async () => {
    const { page, errors, hosts, screenshot } = await open('/docs', options)
    await page.locator('#reference h1').first().waitFor()
    await page.locator('.introduction').waitFor({ state: 'detached' })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`body.${colorScheme}-mode`).waitFor()
      expect(await isWiderThanTheScreen(page)).toBe(false)
      await screenshot(`reference-${size}-${colorScheme}`, 'window')
      const { own, viewer } = await findings(page)
      expect(own).toEqual([])
      expect(viewer.filter((id) => !OF_THE_VIEWER.includes(id))).toEqual([])
    }
    expect(errors).toEqual([])
    expect([...hosts]).toEqual([new URL(stage.service.origin).host])
  })

  test('guides can be read in the light and in the dark', async () => {
    for (const path of ['/guides', '/guides/sync', '/guides/operate', '/nothing']) {
      const { page, errors, hosts, screenshot } = await open(path, options)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme })
        expect(await isWiderThanTheScreen(page)).toBe(false)
        await screenshot(`guides${path.replaceAll('/', '-')}-${size}-${colorScheme}`)
        expect((await findings(page)).own).toEqual([])
      }
      expect(errors).toEqual([])
      expect([...hosts]).toEqual([new URL(stage.service.origin).host])
    }
  })
})

test.each(sizes)('on a %s the introduction is there before the viewer is', async (size, options) => {
  const { page, screenshot } = await open('/nothing', options)
  const viewer: Route[] = []
  await page.route('**/reference/viewer.js', (route) => void viewer.push(route))
  const response = page.goto(`${stage.service.origin}/docs`)
  const paragraphs = page.locator('.introduction p')
  await paragraphs.filter({ hasText: 'Quote it when you ask the operator about a request.' }).waitFor()
  await screenshot(`reference-first-view-${size}`, 'window')
  const texts = await paragraphs.allInnerTexts()
  await Promise.all(viewer.map((route) => route.continue()))
  await response
  await page.locator('.introduction').waitFor({ state: 'detached' })
  // The viewer shows the same, in the same order.
  const shown = await page.locator('#reference').innerText()
  const places = texts.map((text) => shown.indexOf(text))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places).not.toContain(-1)
})

test('a key that is entered once serves every call of the tab, after a reload too, and no other tab', async () => {
  const { page, errors, hosts, screenshot } = await open(`/docs${LIST}`, DESK)
  await page.getByPlaceholder('Token').first().fill(stage.service.demoKey)
  await tryCall(page)
  for (let call = 0; call < 5; call += 1) expect(await send(page)).toBe(200)
  await page.reload()
  await tryCall(page)
  for (let call = 0; call < 5; call += 1) expect(await send(page)).toBe(200)
  await screenshot('reference-tried-desk', 'window')
  const other = await page.context().newPage()
  await other.goto(`${stage.service.origin}/docs${LIST}`)
  await tryCall(other)
  expect(await send(other)).toBe(401)
  expect(errors).toEqual([])
  expect([...hosts]).toEqual([new URL(stage.service.origin).host])
})

test('an operation shows samples in five languages, one of them open', async () => {
  const { page } = await open(`/docs${LIST}`, DESK)
  const chooser = page.getByRole('button', { name: 'Shell Curl' }).first()
  await chooser.waitFor()
  expect(await page.locator('pre').allInnerTexts()).toContainEqual(
    expect.stringContaining(`${stage.service.origin}/api/v1/contacts`),
  )
  await chooser.click()
  const offered = await page.getByRole('option').allInnerTexts()
  expect(offered.map((name) => name.trim())).toEqual([
    'curl',
    'TypeScript',
    'Fetch',
    'cURL',
    'Requests',
    'Curl',
  ])
})

test.each([
  ['api', '/api/v1/openapi.json'],
  ['operator', '/operator/v1/openapi.json'],
])('every operation of the document %s is in the sidebar', async (slug, path) => {
  const { page, errors } = await open(`/docs#${slug}`, DESK)
  const response = await fetch(new URL(path, stage.service.origin))
  const { paths } = (await response.json()) as { readonly paths: Readonly<Record<string, object>> }
  const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
  const closed = page.getByRole('button', { name: /^Open Group - (?!Models)/ })
  await closed.first().waitFor()
  while ((await closed.count()) > 0) await closed.first().click()
  const links = page.locator(`a[href*="#${slug}/tag/"]`)
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(
    new Set(addresses.filter((address) => /\/(?:GET|POST|PUT|PATCH|DELETE|OPTIONS)\//.test(address))).size,
  ).toBe(count)
  expect(errors).toEqual([])
})

test('the search finds an operation by its prose', async () => {
  const { page, errors } = await open('/docs', DESK)
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click()
  await page.keyboard.type('what was removed')
  await page
    .getByRole('option', { name: /List what was removed/ })
    .first()
    .waitFor()
  expect(errors).toEqual([])
})

test('the keyboard alone calls an operation', async () => {
  const { page, errors } = await open(`/docs${LIST}`, DESK)
  await page.getByRole('button', { name: 'Test Request (get /api/v1/contacts)' }).focus()
  await page.keyboard.press('Enter')
  const answer = page.waitForResponse((response) => response.url().includes('/api/v1/contacts'))
  await page.getByRole('button', { name: /^Send/ }).first().focus()
  await page.keyboard.press('Enter')
  expect((await answer).status()).toBe(401)
  expect(errors).toEqual([])
})

test('the pages say what they may load, and their files what they are', async () => {
  for (const path of ['/', '/guides', '/guides/start', '/docs']) {
    const { headers } = await fetch(new URL(path, stage.service.origin))
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    // The viewer puts its style sheet into the page. Scripts come from files everywhere.
    const styled = path === '/docs' ? policy.replace("style-src 'self' 'unsafe-inline'", '') : policy
    expect(styled).not.toMatch(/unsafe|\*|https?:/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const refused = await fetch(new URL(path, stage.service.origin), { method: 'POST' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  const script = await fetch(new URL('/assets/reference/viewer.js', stage.service.origin))
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(script.headers.get('x-content-type-options')).toBe('nosniff')
})

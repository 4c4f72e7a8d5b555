import { beforeAll, describe, expect, test } from 'vitest'
import { sharedLiveService, type SharedService } from '../support/services/live-service.ts'

let live: SharedService
beforeAll(async () => {
  live = await sharedLiveService()
})

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(live.origin + path, { redirect: 'manual', ...init })
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('health is said to everybody, by GET and HEAD alone', async () => {
  const said = await ask('/health')
  expect([said.status, await said.json()]).toEqual([200, { status: 'ok' }])
  expect(said.headers.get('cache-control')).toBe('no-store')
  expect((await ask('/health', { method: 'HEAD' })).status).toBe(200)
  const refused = await ask('/health', { method: 'POST' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('llms.txt leads to every page, as Markdown', async () => {
  const list = await (await ask('/llms.txt')).text()
  expect(list).toMatch(/^# /)
  const addresses = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, address = '']) => address)
  expect(addresses.length).toBeGreaterThan(20)
  expect(addresses.filter((address) => address.endsWith('.md')).length).toBeGreaterThan(10)
  for (const address of addresses) {
    const found = await fetch(address)
    expect([address, found.status]).toEqual([address, 200])
    if (address.endsWith('.md'))
      expect(found.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    await found.text()
  }
})

test('a guide is a page without scripts', async () => {
  const page = await ask('/guides/sync')
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe')
  const text = await page.text()
  expect(text).toContain('<h1 id="sync">Sync</h1>')
  expect(text).not.toContain('<script')
  expect((await ask('/guides')).status).toBe(200)
})

test('what programs look for at any host is there', async () => {
  expect(await (await ask('/robots.txt')).text()).toContain('Disallow: /api/')
  const icon = await ask('/favicon.ico')
  expect([icon.status, icon.headers.get('location')]).toEqual([301, '/assets/icon.svg'])
})

describe('what is not there', () => {
  test.each(['/nothing', '/guides/nothing', '/guides/nothing.md'])(
    'is a page for a browser: %s',
    async (path) => {
      const page = await ask(path, { headers: BROWSER })
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(await page.text()).toContain('href="/guides"')
    },
  )

  test.each(['/nothing', '/guides/nothing'])('is JSON for a program: %s', async (path) => {
    const reply = await ask(path)
    expect([reply.status, typeof ((await reply.json()) as { readonly error: unknown }).error]).toEqual([
      404,
      'string',
    ])
  })

  test.each(['/api/v1/nothing', '/operator/v1/nothing'])('is JSON for everybody below %s', async (path) => {
    const reply = await ask(path, { headers: BROWSER })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ])
  })

  test('a wrong method of a page is explained by a page', async () => {
    const page = await ask('/docs', { method: 'POST', headers: BROWSER })
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await page.text()).toContain('<h1>Method not allowed</h1>')
  })
})

test('the console is the same page at every address below it, and may load nothing from elsewhere', async () => {
  const page = await ask('/console', { headers: BROWSER })
  const text = await page.text()
  const deep = await ask('/console/organizations/acme%2F..?q=1', { headers: BROWSER })
  expect([page.status, deep.status, await deep.text()]).toEqual([200, 200, text])
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(text).toMatch(/<script type="module" src="\/assets\/console\/main-[0-9A-Z]{8}\.js">/)
  expect((await ask('/console', { method: 'POST' })).status).toBe(405)
  expect((await ask('/consoles', { headers: BROWSER })).status).toBe(404)
})

import { beforeAll, describe, expect, test } from 'vitest'
import { sharedLiveService, type SharedService } from '../support/services/live-service.ts'

/** What a browser gets when it submits a form by itself, on the real runtime. */
let live: SharedService

beforeAll(async () => {
  live = await sharedLiveService()
}, 60_000)

/** The `Accept` header that Chromium and Safari send when they navigate. */
const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const good = { _gotcha: '', email: 'ada@example.com' }

async function post(
  body: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
  formId = 'native',
): Promise<Response> {
  return fetch(new URL(`/api/forms/${formId}/submissions`, live.origin), {
    method: 'POST',
    body: new URLSearchParams(body),
    headers: { accept: ACCEPT, origin: 'https://wash.example', ...headers },
    redirect: 'manual',
  })
}

async function expectPage(response: Response, status: number, ...texts: readonly string[]): Promise<void> {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'text/html; charset=utf-8',
  ])
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  const page = await response.text()
  for (const text of texts) expect(page).toContain(text)
}

async function saved(): Promise<number> {
  const url = new URL('/api/v1/forms/native/submissions?limit=500', live.origin)
  const response = await fetch(url, { headers: { authorization: `Bearer ${live.key}` } })
  return ((await response.json()) as { readonly data: readonly unknown[] }).data.length
}

describe('a native form', () => {
  test('is saved and answered with a page', async () => {
    const before = await saved()
    await expectPage(await post(good), 200, '<h1 dir="auto">Thank you</h1>', 'href="https://wash.example/"')
    expect(await saved()).toBe(before + 1)
  })

  test('as multipart, too', async () => {
    const body = new FormData()
    for (const [name, value] of Object.entries(good)) body.append(name, value)
    const url = new URL('/api/forms/native/submissions', live.origin)
    await expectPage(
      await fetch(url, { method: 'POST', body, headers: { accept: ACCEPT } }),
      200,
      'Thank you',
    )
  })

  test('with a redirect is sent there', async () => {
    const response = await post({ ...good, _redirect: '/thanks?a=1' })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'https://wash.example/thanks?a=1',
    ])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.text()).toBe('')
  })

  test('of a bot is acknowledged, whatever redirect it asks for, and not saved', async () => {
    const before = await saved()
    await expectPage(await post({ ...good, _gotcha: 'x', _redirect: '/thanks' }), 200, 'Thank you')
    expect(await saved()).toBe(before)
  })

  test('with a wrong answer names the field by its label and saves nothing', async () => {
    const before = await saved()
    const response = await post({ ...good, email: 'ada' })
    await expectPage(
      response,
      422,
      '<strong dir="auto">Email</strong>',
      'Enter a valid email address.',
      'Back button',
    )
    expect(await saved()).toBe(before)
  })

  test.each<[string, Record<string, string>, string, number, string]>([
    [
      'a redirect elsewhere',
      { ...good, _redirect: 'https://evil.example/' },
      'native',
      422,
      'not set up correctly',
    ],
    ['an unknown form', good, 'none', 404, 'not available'],
    ['a form that must be hosted', good, 'hosted', 409, 'another page'],
    ['no bot trap', { email: 'ada@example.com' }, 'native', 422, '_gotcha'],
    ['too much', { ...good, name: 'x'.repeat(70_000) }, 'native', 413, 'more than this form can take'],
  ])('with %s gets a page of the same status', async (_, body, formId, status, text) => {
    await expectPage(await post(body, {}, formId), status, text)
  })

  test('with text that looks like markup shows it as text', async () => {
    await expectPage(await post({ ...good, '<img src=x>': '1' }), 422, '&lt;img src=x&gt;')
  })

  test('in a type that is not accepted is answered with a page as well', async () => {
    await expectPage(await post(good, { 'content-type': 'text/plain' }), 415, 'cannot take what was sent')
  })
})

test('a browser that opens the address gets a page', async () => {
  const response = await fetch(new URL('/api/forms/native/submissions', live.origin), {
    headers: { accept: ACCEPT },
  })
  expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  await expectPage(response, 405, 'takes submitted forms only')
})

describe('everyone else gets JSON', () => {
  test.each<[string, Record<string, string>]>([
    ['who accepts anything', { accept: '*/*' }],
    ['who accepts both', { accept: 'text/html, application/json;q=0.1' }],
    ['who does not want a page', { accept: 'text/html;q=0' }],
  ])('%s', async (_, headers) => {
    const response = await post({ ...good, _redirect: '/thanks' }, headers)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ ok: true, redirectUrl: 'https://wash.example/thanks' })
  })

  test('who sends JSON', async () => {
    const response = await fetch(new URL('/api/forms/native/submissions', live.origin), {
      method: 'POST',
      body: JSON.stringify({ ...good, email: 'ada' }),
      headers: { accept: ACCEPT, 'content-type': 'application/json' },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      422,
      'application/json; charset=utf-8',
    ])
  })
})

describe('the browser client', () => {
  const fetchClient = (init: RequestInit = {}, query = ''): Promise<Response> =>
    fetch(new URL(`/form-client.js${query}`, live.origin), init)

  test('is a module that any page may import and any cache may keep', async () => {
    const response = await fetchClient()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    const url = `data:text/javascript,${encodeURIComponent(await response.text())}`
    expect(Object.keys((await import(/* @vite-ignore */ url)) as object).sort()).toEqual([
      'addressOf',
      'attach',
      'attachAll',
      'attachForm',
      'loadForm',
      'visibleIds',
    ])
  })

  test('is not sent again to who has it, and for ever kept under its hash', async () => {
    const etag = (await fetchClient()).headers.get('etag') ?? ''
    expect((await fetchClient({ headers: { 'if-none-match': etag } })).status).toBe(304)
    const pinned = await fetchClient({ method: 'HEAD' }, `?v=${etag.replaceAll('"', '')}`)
    expect(pinned.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await fetchClient({ method: 'POST' })).status).toBe(405)
  })
})

test('what the form client needs of a form is served to any page, of published forms only', async () => {
  const ask = (formId: string) => fetch(new URL(`/forms/${formId}/definition`, live.origin))
  const response = await ask('native')
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=60'])
  expect(await response.json()).toMatchObject({ formId: 'native', requiresPassword: false })
  const others = await Promise.all(['unpublished', 'hosted', 'unknown'].map(ask))
  expect(others.map(({ status }) => status)).toEqual([404, 404, 404])
  const schema = await fetch(new URL('/forms/schema.json', live.origin))
  expect([schema.status, schema.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  expect(await schema.json()).toMatchObject({ title: 'Form', required: ['formId', 'name', 'fields'] })
})

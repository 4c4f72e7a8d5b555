import { expect, test } from 'vitest'
import { guardLocalStart, isLocalStart } from './local-start.ts'

const bindings = {
  LOCAL_START: { fetch: () => undefined },
  ASSETS: { fetch: async () => new Response('a file') },
}

function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Response | null> {
  return guardLocalStart(new Request(url, { headers }), new URL(url), bindings)
}

test('a local start has a binding as its mark, not a variable', () => {
  for (const LOCAL_START of [undefined, null, '', '1', 'true'])
    expect(isLocalStart({ LOCAL_START })).toBe(false)
  expect(isLocalStart({ LOCAL_MAILBOX: '1' })).toBe(false)
  expect(isLocalStart(bindings)).toBe(true)
})

test('a request to this machine by name is served, and files come from the files', async () => {
  expect(await ask('http://127.0.0.1:8787/mailbox', { host: '127.0.0.1:8787' })).toBe(null)
  const file = await ask('http://localhost/assets/pages.css', { host: 'localhost' })
  expect(await file?.text()).toBe('a file')
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['http://evil.example/', { host: 'evil.example' }],
  ['http://localhost/assets/pages.css', { host: 'evil.example' }],
  [
    'http://localhost/',
    { host: 'evil.example', 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' },
  ],
  ['http://evil.example/', { host: 'localhost' }],
  ['http://localhost/', {}],
])('a request to %s with the headers %j is refused', async (url, headers) => {
  const response = await ask(url, headers)
  expect([response?.status, await response?.json()]).toEqual([403, { error: expect.any(String) as string }])
})

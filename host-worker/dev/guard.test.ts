import { expect, test } from 'vitest'
import { refuseStranger } from './guard.ts'

function ask(url: string, headers: Readonly<Record<string, string>>): Response | null {
  return refuseStranger(new Request(url, { headers }), new URL(url))
}

test.each([
  ['http://127.0.0.1:8787/mailbox', '127.0.0.1:8787'],
  ['http://localhost/assets/pages.css', 'localhost'],
  ['http://[::1]:8787/', '[::1]:8787'],
])('a request to %s is from this machine', (url, host) => {
  expect(ask(url, { host })).toBe(null)
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
  const response = ask(url, headers)
  expect([response?.status, await response?.json()]).toEqual([403, { error: expect.any(String) as string }])
})

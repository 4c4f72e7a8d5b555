import { expect, it } from 'vitest'
import { publicApi } from './api.ts'

const submissionError = { ok: false, code: 'form_not_found', error: 'There is no such form.' }

function asked(path: string, headers: Readonly<Record<string, string>> = {}) {
  const url = new URL(path, 'https://service.example')
  return { request: new Request(url, { method: 'POST', headers }), url, requestId: 'id' }
}

it.each<[string, unknown]>([
  ['/api/forms//submissions', submissionError],
  ['/api/forms/a/b/submissions', submissionError],
  ['/api/forms/a/submissions//', submissionError],
  ['/api/forms/submissions', { error: 'Not found' }],
  ['/api/forms/a/submissions/b', { error: 'Not found' }],
  ['/x/api/forms/a/submissions', { error: 'Not found' }],
  ['/api/v1/openapi.json/', { error: 'Not found' }],
])('a path that no endpoint has: %s', async (path, body) => {
  const reply = await publicApi.answerUnknownRoute(asked(path))
  expect([reply.status, JSON.parse(reply.body ?? '')]).toEqual([404, body])
  const isForAnyOrigin = reply.headers['access-control-allow-origin'] === '*'
  expect(isForAnyOrigin).toBe(body === submissionError)
})

it('a native form whose address has no form id gets a page', async () => {
  const native = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
  const reply = await publicApi.answerUnknownRoute(asked('/api/forms//submissions', native))
  expect([reply.status, reply.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(reply.body).toContain('There is no such form.')
})

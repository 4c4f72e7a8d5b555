import { expect, it } from 'vitest'
import { publicApi } from './api.ts'

const submissionError = { ok: false, code: 'form_not_found', error: 'There is no such form.' }

it.each<[string, unknown]>([
  ['/api/forms//submissions', submissionError],
  ['/api/forms/a/b/submissions', submissionError],
  ['/api/forms/a/submissions//', submissionError],
  ['/api/forms/submissions', { error: 'Not found' }],
  ['/api/forms/a/submissions/b', { error: 'Not found' }],
  ['/x/api/forms/a/submissions', { error: 'Not found' }],
  ['/api/v1/openapi.json/', { error: 'Not found' }],
])('a path that no endpoint has: %s', async (path, body) => {
  const reply = await publicApi.answerUnknownRoute(new URL(path, 'https://service.example'))
  expect([reply.status, JSON.parse(reply.body ?? '')]).toEqual([404, body])
  const isForAnyOrigin = reply.headers['access-control-allow-origin'] === '*'
  expect(isForAnyOrigin).toBe(body === submissionError)
})

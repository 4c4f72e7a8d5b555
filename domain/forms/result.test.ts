import { describe, expect, it } from 'vitest'
import { receiptReply, submissionFailure, refused, refusedFields } from './result.ts'
import { preflight } from './submit.ts'

const bodyOf = (reply: { readonly body: string | null }): unknown => JSON.parse(reply.body ?? '') as unknown
const saved = { kind: 'saved', submissionId: 'sub_1', title: 'T', message: 'M', voice: null } as const

describe('receipts', () => {
  it('hold what the contract lists and nothing else', () => {
    const reply = receiptReply({ ...saved, redirectUrl: null })
    expect(reply.status).toBe(200)
    expect(bodyOf(reply)).toEqual({ ok: true, submissionId: 'sub_1', title: 'T', message: 'M' })
    expect(bodyOf(receiptReply({ ...saved, redirectUrl: 'https://a.example/' }))).toEqual({
      ok: true,
      submissionId: 'sub_1',
      title: 'T',
      message: 'M',
      redirectUrl: 'https://a.example/',
    })
  })

  it('of a filled honeypot name no submission', () => {
    const reply = receiptReply({ kind: 'honeypot', title: 'Thank you', message: 'M', voice: null })
    expect([reply.status, bodyOf(reply)]).toEqual([200, { ok: true, message: 'M' }])
  })
})

describe('failures', () => {
  it('have the status of their code', () => {
    const reply = receiptReply(refused('form_not_found', 'E'))
    expect([reply.status, bodyOf(reply)]).toEqual([404, { ok: false, code: 'form_not_found', error: 'E' }])
  })

  it('name fields, whatever they are called', () => {
    const reply = receiptReply(
      refusedFields(
        'E.',
        new Map([
          ['__proto__', 'a'],
          ['constructor', 'b'],
        ]),
      ),
    )
    expect(reply.status).toBe(422)
    expect(reply.body).toContain('"fieldErrors":{"__proto__":"a","constructor":"b"}')
  })

  it('may carry further headers', () => {
    expect(submissionFailure('method_not_allowed', 'E', { allow: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    })
  })
})

it('every answer can be read by any page and kept by none', () => {
  const replies = [
    receiptReply({ ...saved, redirectUrl: null }),
    receiptReply({ kind: 'honeypot', title: 'Thank you', message: 'M', voice: null }),
    receiptReply(refused('internal_error', 'E')),
    submissionFailure('method_not_allowed', 'E'),
    preflight(),
  ]
  for (const { headers } of replies) {
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
  }
})

it('a preflight allows what the contract says', () => {
  const { status, headers, body } = preflight()
  expect([status, body]).toEqual([204, null])
  expect(headers['access-control-allow-methods']).toBe('POST, OPTIONS')
  expect(headers['access-control-allow-headers']).toBe('Content-Type, Accept')
})

it.each([
  [49, 49],
  [50, 50],
  [51, 50],
  [5_000, 50],
])('of %i problems the first %i are told', (wrong, told) => {
  const problems = Array.from({ length: wrong }, (_, index) => [`k${index}`, 'E'] as const)
  const answer = bodyOf(receiptReply(refusedFields('E.', new Map(problems))))
  expect(answer).toHaveProperty('fieldErrors', Object.fromEntries(problems.slice(0, told)))
})

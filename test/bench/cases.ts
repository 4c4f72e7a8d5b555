import { conditionalAnswers, plainAnswers } from './seed.ts'

/** One request of a load. */
export interface Shot {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The expected status of the answer; left out: 200. */
  readonly status?: number
}

export interface Case {
  readonly name: string
  /** The share of the bare worker's throughput that the service is to reach. */
  readonly aim: number
  readonly shotsPerRound: number
  /** The request to the service, which the bare worker answers too. */
  readonly shot: Shot
}

/** A read with a key. */
export function get(key: string, path: string): Shot {
  return { method: 'GET', path, headers: { authorization: `Bearer ${key}` }, body: null }
}

/** A submission of a form. */
export function submit(formId: string, answers: Readonly<Record<string, unknown>>): Shot {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ _gotcha: '', ...answers })
  return { method: 'POST', path: `/api/forms/${formId}/submissions`, headers, body }
}

export function benchCases(contactId: string, key: string): readonly Case[] {
  const submission = (name: string, shot: Shot): Case => ({ name, aim: 0.8, shotsPerRound: 300, shot })
  return [
    { name: 'list of 100', aim: 0.9, shotsPerRound: 300, shot: get(key, '/api/v1/contacts') },
    { name: 'detail', aim: 0.85, shotsPerRound: 600, shot: get(key, `/api/v1/contacts/${contactId}`) },
    submission('submission', submit('bench-form', plainAnswers)),
    submission('submission, nothing follows', submit('bench-quiet', plainAnswers)),
    submission('submission of 20 fields, 8 conditional', submit('bench-conditional', conditionalAnswers)),
  ]
}

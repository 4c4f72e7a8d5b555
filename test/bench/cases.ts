import type { Shot } from './load.ts'
import { conditionalAnswers, plainAnswers } from './seed.ts'

export interface Case {
  readonly name: string
  /** The share of the bare worker's throughput that the service is to reach. */
  readonly aim: number
  readonly shotsPerRound: number
  /** The request to the service, which the bare worker answers too. */
  readonly shot: Shot
  /** The same request to Directus. */
  readonly directus: Shot
}

/** A read with a key. */
export function get(key: string, path: string): Shot {
  return { method: 'GET', path, headers: { authorization: `Bearer ${key}` }, body: null }
}

function post(path: string, body: unknown, key?: string): Shot {
  const authorized = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const headers = { 'content-type': 'application/json', ...authorized }
  return { method: 'POST', path, headers, body: JSON.stringify(body) }
}

/** A submission of a form. */
export function submit(formId: string, answers: Readonly<Record<string, unknown>>): Shot {
  return post(`/api/forms/${formId}/submissions`, { _gotcha: '', ...answers })
}

/** @param keys what authorizes a request at the service, and at Directus */
export function benchCases(
  contactId: string,
  keys: { readonly service: string; readonly directus: string },
): readonly Case[] {
  const submission = (formId: string, given: Readonly<Record<string, unknown>>) => ({
    shot: submit(formId, given),
    directus: post('/items/form_submissions', { formId, answers: given }, keys.directus),
  })
  return [
    {
      name: 'list of 100',
      aim: 0.9,
      shotsPerRound: 300,
      shot: get(keys.service, '/api/v1/contacts'),
      directus: get(keys.directus, '/items/contacts?limit=100&sort=-createdAt,-contactId'),
    },
    {
      name: 'detail',
      aim: 0.85,
      shotsPerRound: 600,
      shot: get(keys.service, `/api/v1/contacts/${contactId}`),
      directus: get(keys.directus, `/items/contacts/${contactId}`),
    },
    { name: 'submission', aim: 0.8, shotsPerRound: 300, ...submission('bench-form', plainAnswers) },
    {
      name: 'submission, nothing follows',
      aim: 0.8,
      shotsPerRound: 300,
      ...submission('bench-quiet', plainAnswers),
    },
    {
      name: 'submission of 20 fields, 8 conditional',
      aim: 0.8,
      shotsPerRound: 300,
      ...submission('bench-conditional', conditionalAnswers),
    },
  ]
}

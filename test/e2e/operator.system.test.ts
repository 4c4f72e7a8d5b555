import { afterAll, beforeAll, expect, test } from 'vitest'
import { proveRootSecret } from '../../domain/access/operator-credentials.ts'
import { utf8 } from '../../domain/text/encoding.ts'
import { testSecrets } from '../support/runner/fakes.ts'
import { openLiveWorker, type LiveWorker } from '../support/services/live-service.ts'

// Checks two things on the real runtime: the first request to the operator interface loads it, and D1 records a change
// in the same batch as the change itself.

let worker: LiveWorker

beforeAll(async () => {
  worker = await openLiveWorker()
})

afterAll(() => worker.close())

async function ask(path: string, authorization: string, body?: string): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' }
  return fetch(
    `${worker.origin}${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body },
  )
}

test('from the root secret to the first organization that reads its data, with a record of each step', async () => {
  const grant = JSON.stringify({ operator: 'ada', role: 'admin' })
  const { current } = await testSecrets()
  const first = await ask(
    '/operator/v1/operator-keys',
    await proveRootSecret(current, { host: new URL(worker.origin).host, body: utf8(grant) }, Date.now()),
    grant,
  )
  expect(first.status).toBe(201)
  const operator = `Bearer ${((await first.json()) as { readonly key: string }).key}`

  const taken = JSON.stringify({ name: 'Acme', slug: 'acme' })
  expect((await ask('/operator/v1/organizations/acme', operator, taken)).status).toBe(201)
  expect((await ask('/operator/v1/organizations/other', operator, taken)).status).toBe(409)
  const issued = await ask('/operator/v1/organizations/acme/keys', operator, '{}')
  const tenant = `Bearer ${((await issued.json()) as { readonly key: string }).key}`
  expect((await ask('/api/v1/sites', tenant)).status).toBe(200)
  expect((await ask('/operator/v1/organizations', tenant)).status).toBe(401)
  expect((await ask('/api/v1/sites', operator)).status).toBe(401)

  // The local runtime knows no jurisdictions.
  const bound = { place: 'own', jurisdiction: 'eu' }
  const begun = JSON.stringify({ name: 'Bound', ...bound })
  expect((await ask('/operator/v1/organizations/bound', operator, begun)).status).toBe(409)
  const moved = await ask('/operator/v1/organizations/acme/move', operator, JSON.stringify(bound))
  expect([moved.status, await moved.text()]).toEqual([409, expect.stringContaining('jurisdiction')])

  const audit = (await (await ask('/operator/v1/audit', operator)).json()) as {
    readonly data: readonly { readonly operator: string; readonly action: string; readonly outcome: string }[]
  }
  const records = audit.data.map(({ operator: name, action, outcome }) => [name, action, outcome])
  expect(records.reverse()).toEqual([
    ['ROOT_SECRET', 'operatorKey.issue', 'done'],
    ['ada', 'organization.save', 'done'],
    ['ada', 'organization.save', 'refused'],
    ['ada', 'key.issue', 'done'],
    ['ada', 'organization.save', 'refused'],
    ['ada', 'organization.move', 'refused'],
  ])
})

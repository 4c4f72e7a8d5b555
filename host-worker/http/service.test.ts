import { afterEach, beforeEach, expect, it } from 'vitest'
import { createNodeSqliteStorage, type NodeSqliteStorage } from '../../adapters/node-sqlite/index.ts'
import { issueKey } from '../../domain/access/keys.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { form } from '../../adapters/conformance/fixtures.ts'
import { fakeEmail } from '../../test/support/providers/jobs.ts'
import { fakeClock, testSecrets, type FakeClock } from '../../test/support/runner/fakes.ts'
import type { WorldParts } from './world.ts'
import { createService } from './service.ts'

let clock: FakeClock
let storage: NodeSqliteStorage
let lines: (readonly [event: string, fields: object])[]

beforeEach(async () => {
  clock = fakeClock()
  storage = createNodeSqliteStorage({ path: ':memory:', clock })
  lines = []
  await storage.administration.saveOrganization({ ...newOrganization('acme', 'Acme'), slug: 'acme' })
  const fields = [{ id: 'email', type: 'email', label: 'Email', contactField: 'email' }]
  const definition = { formId: 'contact', fields, notificationEmails: ['office@example.com'] }
  await storage.tenant('acme').upsert('forms', [form('contact', { definition })])
})
afterEach(() => {
  storage.close()
})

async function open(parts: Partial<Omit<WorldParts, 'storage'>> = {}) {
  const note = (event: string, fields: object) => lines.push([event, fields])
  const secrets = await testSecrets()
  return createService({ storage, secrets, clock, log: { info: note, error: note }, ...parts })
}

const request = (path: string, init?: RequestInit) => new Request(`https://service.example${path}`, init)

const submission = () =>
  request('/api/forms/contact/submissions', {
    method: 'POST',
    body: new URLSearchParams({ _gotcha: '', email: 'ada@example.com' }),
  })

it('answers every interface, and logs each request', async () => {
  const service = await open()
  const { key, stored } = await issueKey(
    { organizationId: 'acme' },
    await testSecrets(),
    service.world.random,
    clock,
  )
  await storage.administration.addKey(stored)
  expect((await service.fetch(submission())).status).toBe(200)
  const contacts = await service.fetch(
    request('/api/v1/contacts', { headers: { authorization: `Bearer ${key}` } }),
  )
  expect(((await contacts.json()) as { data: object[] }).data).toMatchObject([{ email: 'ada@example.com' }])
  const definition = await service.fetch(request('/forms/contact/definition'))
  expect(await definition.json()).toMatchObject({ formId: 'contact', requiresPassword: false })
  expect((await service.fetch(request('/operator/v1/organizations'))).status).toBe(401)
  const nothing = await service.fetch(request('/nothing'))
  expect([nothing.status, await nothing.json()]).toEqual([404, { error: 'Not found' }])
  const endpoints = ['forms.submit', 'contacts.list', 'forms.definition', 'organizations.list', null]
  expect(lines.map(([event, fields]) => [event, (fields as { endpointId: string }).endpointId])).toEqual(
    endpoints.map((endpoint) => ['request', endpoint]),
  )
})

it('sends what is due when it is swept, and keeps it while there is no provider', async () => {
  const silent = await open()
  await silent.fetch(submission())
  await silent.sweep()
  const { sender, delivered } = fakeEmail()
  const service = await open({ email: sender, mail: { domain: 'mail.example.com', brand: 'Example' } })
  clock.advance(60 * 60_000)
  await service.sweep()
  expect(delivered.map(([, { to }]) => to)).toEqual(['office@example.com'])
  await service.sweep()
  expect(delivered).toHaveLength(1)
})

it('takes a part that is undefined as left out', async () => {
  const service = await open({
    sources: undefined,
    places: undefined,
    email: undefined,
    background: undefined,
  })
  const { sources, moves, email } = service.world
  expect([sources.links, email, await moves.running('acme')]).toEqual([null, null, null])
  expect((await service.fetch(submission())).status).toBe(200)
})

it('logs work that fails after its response', async () => {
  const service = await open()
  service.world.background.run(Promise.reject(new Error('lost')))
  await new Promise((resolve) => setTimeout(resolve))
  expect(lines).toEqual([['background_failed', {}]])
})

it('says why rows of a point of sale cannot be imported', async () => {
  const service = await open()
  expect(service.world.imports(newOrganization('acme', 'Acme')).pos()).toEqual({
    refusal: 'The rows of a point of sale of acme cannot be imported here.',
  })
})

import { expect, test } from 'vitest'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import { createStorage, openImage } from '../../node-sqlite/index.ts'
import type { Statement } from '../statement/executor.ts'
import { newOrganization } from '../../../domain/organizations/settings.ts'
import { dropFollowing, eraseSendsOf } from './retention.ts'

/** The plans of all statements of an erasure, by their texts. */
async function plansOfErasure(): Promise<ReadonlyMap<string, readonly string[]>> {
  const database = openImage(migratedImage())
  const run: Statement[] = []
  const executor = {
    ...database,
    batch: (statements: readonly Statement[]) => {
      run.push(...statements)
      return database.batch(statements)
    },
  }
  const store = createStorage({ executor, clock: { nowMs: () => 0 } }).organizationStore('acme')
  const named = { contactIds: [], emailKeys: ['ada@example.com'], phones: ['+12125550100'] }
  const person = { ...(await store.findPerson(named)), numbers: [] }
  let position: string | null = null
  do position = (await store.eraseSome(person, position)).next
  while (position !== null)
  const plans = new Map<string, readonly string[]>()
  for (const { sql, parameters } of run) {
    if (!/\b(?:contacts|purchases|automation_runs)\b/.test(sql)) continue
    const [plan] = await database.batch([{ sql: `explain query plan ${sql}`, parameters }])
    plans.set(
      sql,
      (plan?.rows ?? []).map(({ detail }) => String(detail)),
    )
  }
  return plans
}

test('whoever is erased is found by their contact and addresses, not by reading every contact', async () => {
  const plans = [...(await plansOfErasure())]
  const found = plans.flatMap(([, details]) =>
    details.filter((detail) => /^(?:SEARCH|SCAN) (?:contacts|purchases|automation_runs)\b/.test(detail)),
  )
  expect(found.length).toBeGreaterThan(5)
  // Each search narrows down more than to the organization.
  expect(found.filter((detail) => !/\(organization_id=\? AND \w+=\?/.test(detail))).toEqual([])
})

test('what webhooks are told of a contact outlives its submission, unless the contact is erased', async () => {
  const database = openImage(migratedImage())
  await createStorage({ executor: database, clock: { nowMs: () => 0 } }).administration.saveOrganization(
    newOrganization('acme', 'Acme'),
  )
  for (const id of ['obx_sub_1_1', 'whd_sub_1_hook', 'whd_sub_1_hook_c']) {
    const sql = `insert into outbox (organization_id, outbox_id, submission_id, kind, payload, next_attempt_at, created_at,
      updated_at) values ('acme', ?1, 'sub_1', 'webhook_delivery', '{}', '2026', '2026', '2026')`
    await database.batch([{ sql, parameters: [id] }])
  }
  const left = async () => {
    const [found] = await database.batch([{ sql: 'select outbox_id from outbox', parameters: [] }])
    return found?.rows.map(({ outbox_id }) => outbox_id)
  }
  await database.batch(dropFollowing('acme', '["sub_1"]'))
  expect(await left()).toEqual(['whd_sub_1_hook_c'])
  await database.batch(dropFollowing('acme', '["sub_1"]', { closedAt: null }))
  expect(await left()).toEqual([])
})

test('what follows submissions is found by their ids, however much work there is', async () => {
  const database = openImage(migratedImage())
  for (const { sql, parameters } of [
    ...dropFollowing('acme', '["sub_1"]'),
    eraseSendsOf('acme', '["sub_1"]'),
  ]) {
    const [plan] = await database.batch([{ sql: `explain query plan ${sql}`, parameters }])
    const found = (plan?.rows ?? [])
      .map(({ detail }) => String(detail))
      .filter((detail) => /^(?:SEARCH|SCAN) /.test(detail))
      .filter((detail) => !/^SCAN s VIRTUAL|organizations|removals/.test(detail))
    expect(found.length).toBeGreaterThan(1)
    expect(found.filter((detail) => !/\(organization_id=\? AND \w+(?:=|>)\?/.test(detail))).toEqual([])
  }
})

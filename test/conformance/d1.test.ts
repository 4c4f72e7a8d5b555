import { afterAll, beforeAll, describe, test } from 'vitest'
import { createD1Storage } from '../../adapters/d1/index.ts'
import type { LocalD1 } from '../support/d1.ts'
import { openLocalD1 } from '../support/d1.ts'
import type { MakeStorage } from './index.ts'
import { registerStorageSuite, storageSuite } from './index.ts'

let databases: LocalD1

const make: MakeStorage = async (clock) => {
  const database = await databases.next()
  return {
    ...createD1Storage({ database, clock }),
    async outboxOf(organizationId) {
      const sql = 'select * from outbox where organization_id = ? order by outbox_id'
      const { results } = await database.prepare(sql).bind(organizationId).all<Record<string, string>>()
      return results.map((row) => ({
        outboxId: String(row.outbox_id),
        submissionId: String(row.submission_id),
        kind: String(row.kind),
        payload: JSON.parse(String(row.payload)) as unknown,
        status: String(row.status),
      }))
    },
  }
}

describe('D1 storage', () => {
  beforeAll(async () => {
    databases = await openLocalD1(storageSuite.length)
  })
  afterAll(() => databases.dispose())

  registerStorageSuite(
    {
      test,
      skip: (name, reason) => {
        test.skip(`${name} (${reason})`)
      },
    },
    make,
  )
})

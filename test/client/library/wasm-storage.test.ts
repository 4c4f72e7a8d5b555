import { test } from 'node:test'
import { registerStorageSuite } from 'tenant-data-api/conformance'
import { createWasmStorage, openWasmDatabase } from './wasm-storage.ts'

// Proves the adapter: every promise of the storage ports is a test.
registerStorageSuite(
  { test: (name, run) => void test(name, run), skip: (name, reason) => void test(name, { skip: reason }) },
  async (clock) => {
    const database = openWasmDatabase()
    return {
      ...createWasmStorage(database, clock),
      outboxOf: async (organizationId) => {
        const sql =
          'select outbox_id as outboxId, submission_id as submissionId, kind, payload, status from outbox where organization_id = ?'
        const [found] = await database.batch([{ sql, parameters: [organizationId] }])
        return (found?.rows ?? []).map(({ payload, ...row }) => ({
          ...(row as { outboxId: string; submissionId: string; kind: string; status: string }),
          payload: JSON.parse(String(payload)) as unknown,
        }))
      },
    }
  },
)

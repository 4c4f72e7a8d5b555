import { expect, test } from 'vitest'
import { migratedImage } from '../../../test/support/databases/migrated-image.ts'
import type { AuditFilter } from '../../../ports/operators.ts'
import { openImage } from '../../node-sqlite/index.ts'
import { rowsOf } from '../statement/executor.ts'
import { auditPage } from './operators.ts'

const all: AuditFilter = { organizationId: 'acme', operatorKeyId: 'op-1', action: 'key.issue' }
const columns: Readonly<Record<string, string>> = {
  organizationId: 'organization_id',
  operatorKeyId: 'operator_key_id',
  action: 'action',
}

/** Every choice of the filters. */
const choices = Object.entries(all).reduce<readonly AuditFilter[]>(
  (made, [name, value]) => [...made, ...made.map((filter) => ({ ...filter, [name]: value }))],
  [{}],
)

test.each(choices)(
  'a page of the audit narrowed by %j seeks in an index, and sorts nothing',
  async (filter) => {
    const database = openImage(migratedImage())
    for (const after of [null, { value: '2026-06-15T12:00:00.000Z', id: 'a' }]) {
      const { sql, parameters } = auditPage(filter, after, 100)
      const steps = await rowsOf(database, { sql: `explain query plan ${sql}`, parameters })
      const plan = steps.map(({ detail }) => String(detail)).join('; ')
      expect(plan).not.toContain('TEMP B-TREE')
      const sought = Object.keys(filter).map((name) => `${columns[name] ?? ''}=?`)
      // An index has one filter: the others are tested row by row.
      const found = sought.filter((condition) => plan.includes(condition))
      expect([plan, found.length]).toEqual([plan, Math.min(sought.length, 1)])
      if (after !== null) expect(plan).toMatch(/\(at,audit_id\)<\(\?,\?\)/)
    }
  },
)

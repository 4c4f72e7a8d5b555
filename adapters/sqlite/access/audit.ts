import { sql } from '../statement/sql.ts'
import type { Audit, AuditEntry, AuditRecord } from '../../../ports/audit.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import type { FieldColumns } from '../table/field-columns.ts'
import { columnList, fieldList, valueList } from '../table/field-columns.ts'

const columns: FieldColumns<AuditRecord> = {
  auditId: 'audit_id',
  at: 'at',
  operatorKeyId: 'operator_key_id',
  operator: 'operator',
  action: 'action',
  organizationId: 'organization_id',
  outcome: 'outcome',
}
const insertInto = sql`insert into audit (${columnList(columns)})`

const record = template(sql`${insertInto} values (${valueList(columns)})
  on conflict (audit_id) do nothing`)

/**
 * `changes()` counts what the preceding statement wrote, without its triggers. The record may exist already, as failed:
 * a change that was first tried in a family's own database, before the family moved here.
 */
const recordChange = template(sql`${insertInto}
  values (${valueList(columns, { outcome: sql`case when changes() > 0 then 'done' else 'refused' end` })})
  on conflict (audit_id) do update set outcome = excluded.outcome where audit.outcome = 'failed'`)

const settle = template(sql`update audit set outcome = ${slot('outcome')}
  where audit_id = ${slot('auditId')} and outcome = 'failed'`)

const kept = sql`select ${fieldList(columns)} from audit`
const newest = sql`order by at desc, audit_id desc limit +${slot('limit')}`
const before = sql`(at, audit_id) < (${slot('at')}, ${slot('auditId')})`
const ofOne = sql`organization_id = ${slot('organizationId')}`

const firstOfAll = template(sql<AuditRecord>`${kept} ${newest}`)
const nextOfAll = template(sql<AuditRecord>`${kept} where ${before} ${newest}`)
const firstOfOne = template(sql<AuditRecord>`${kept} where ${ofOne} ${newest}`)
const nextOfOne = template(sql<AuditRecord>`${kept} where ${ofOne} and ${before} ${newest}`)

/**
 * The statement that records a change. It must follow the statement that makes the change, in the same batch: it
 * records the change as done when that statement wrote anything.
 */
export function recordChangeStatement(of: AuditEntry): Statement {
  return bind(recordChange, { ...of })
}

/** The audit trail of operators. */
export function createAudit(executor: Executor): Audit {
  return {
    async record(made) {
      await executor.batch([bind(record, { ...made })])
    },
    async settle(auditId, outcome) {
      await executor.batch([bind(settle, { auditId, outcome })])
    },
    list(organizationId, after, limit) {
      if (organizationId === null)
        return rowsOf(
          executor,
          after === null ? bind(firstOfAll, { limit }) : bind(nextOfAll, { ...after, limit }),
        )
      const values = { organizationId, limit }
      return rowsOf(
        executor,
        after === null ? bind(firstOfOne, values) : bind(nextOfOne, { ...after, ...values }),
      )
    },
  }
}

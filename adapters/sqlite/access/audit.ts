import { sql } from '../statement/sql.ts'
import type { Audit, AuditEntry, AuditRecord } from '../../../ports/audit.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'

const columns = sql`audit_id, at, operator_key_id, operator, action, organization_id, outcome`
const entry = sql`${slot('auditId')}, ${slot('at')}, ${slot('operatorKeyId')}, ${slot('operator')}, ${slot('action')},
  ${slot('organizationId')}`

const record = template(sql`insert into audit (${columns}) values (${entry}, ${slot('outcome')})
  on conflict (audit_id) do nothing`)

/**
 * `changes()` counts what the statement before it wrote, without its triggers. A change that was tried in a family's
 * database before, which was moved here meanwhile, is recorded as failed already.
 */
const recordChange = template(sql`insert into audit (${columns})
  values (${entry}, case when changes() > 0 then 'done' else 'refused' end)
  on conflict (audit_id) do update set outcome = excluded.outcome where audit.outcome = 'failed'`)

const settle = template(sql`update audit set outcome = ${slot('outcome')}
  where audit_id = ${slot('auditId')} and outcome = 'failed'`)

const kept = sql`select audit_id as "auditId", at, operator_key_id as "operatorKeyId", operator, action,
  organization_id as "organizationId", outcome from audit`
const newest = sql`order by at desc, audit_id desc limit +${slot('limit')}`
const before = sql`(at, audit_id) < (${slot('at')}, ${slot('auditId')})`
const ofOne = sql`organization_id = ${slot('organizationId')}`

const firstOfAll = template(sql<AuditRecord>`${kept} ${newest}`)
const nextOfAll = template(sql<AuditRecord>`${kept} where ${before} ${newest}`)
const firstOfOne = template(sql<AuditRecord>`${kept} where ${ofOne} ${newest}`)
const nextOfOne = template(sql<AuditRecord>`${kept} where ${ofOne} and ${before} ${newest}`)

/**
 * The statement that records a change. It stands behind the statement that makes the change, in the same batch, and
 * records it as done when that one wrote anything.
 */
export function recordChangeStatement(of: AuditEntry): Statement {
  return bind(recordChange, { ...of })
}

/** The audit of operators. */
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

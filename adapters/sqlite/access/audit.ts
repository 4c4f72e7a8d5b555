import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type {
  Audit,
  AuditEntry,
  AuditFilter,
  AuditPosition,
  AuditRecord,
  AuditSubject,
} from '../../../ports/operators/audit.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { templateCache } from '../statement/template-cache.ts'
import { columnList, fieldList, valueList } from '../table/field-columns.ts'

const columns: Readonly<Record<keyof AuditRecord, string>> = {
  auditId: 'audit_id',
  at: 'at',
  operatorKeyId: 'operator_key_id',
  operator: 'operator',
  action: 'action',
  organizationId: 'organization_id',
  outcome: 'outcome',
  subject: 'subject',
}
const insertInto = sql`insert into audit (${columnList(columns)})`

const record = template(sql`${insertInto} values (${valueList(columns)})
  on conflict (audit_id) do nothing`)

/**
 * Prepares the statement that records a change, in the same batch. The record may exist already, as failed: a change
 * that was first tried in a family's own database, before the family moved here.
 * @param subject what the change is about, as JSON
 * @param isMade whether the change is made. Default: the preceding statement makes it, and wrote something; `changes()`
 *   counts what that statement wrote, without its triggers.
 */
export function recordChangeTemplate(
  subject: Expression<unknown> = slot('subject'),
  isMade: Expression<unknown> = sql`changes() > 0`,
): Template {
  const outcome = sql`case when ${isMade} then 'done' else 'refused' end`
  return template(sql`${insertInto} values (${valueList(columns, { outcome, subject })})
    on conflict (audit_id) do update set outcome = excluded.outcome, subject = excluded.subject
    where audit.outcome = 'failed'`)
}
const recordChange = recordChangeTemplate()

const settle = template(sql`update audit set outcome = ${slot('outcome')}, subject = ${slot('subject')}
  where audit_id = ${slot('auditId')} and outcome = 'failed'`)

/** The row of a record: its subject is JSON. */
type AuditRow = Omit<AuditRecord, 'subject'> & { readonly subject: string | null }

const before = sql`(at, audit_id) < (${slot('at')}, ${slot('auditId')})`
const narrowings: readonly (keyof AuditFilter)[] = ['organizationId', 'operatorKeyId', 'action']
const listTemplates = templateCache<Template<AuditRow>>()

/** The statement for a page of records. Each filter has an index in the order of the list. */
export function listStatement(
  filter: AuditFilter,
  after: AuditPosition | null,
  limit: number,
): Statement<AuditRow> {
  const given = narrowings.filter((name) => filter[name] != null)
  const made = listTemplates([...given, after === null].join(), () => {
    const where = given.map((name) => sql`${sql.id(columns[name])} = ${slot(name)}`)
    const conditions = after === null ? where : [...where, before]
    return template(sql<AuditRow>`select ${fieldList(columns)} from audit
      ${conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`}
      order by at desc, audit_id desc limit +${slot('limit')}`)
  })
  const values = Object.fromEntries(given.map((name) => [name, filter[name] ?? null]))
  return bind(made, { ...values, ...after, limit })
}

/** The statement that records a change, as `recordChangeTemplate` says. */
export function recordChangeStatement(of: AuditEntry): Statement {
  return bind(recordChange, { ...auditRow(of) })
}

/** The values of an entry, or of a record, for its row. */
export function auditRow<Entry extends AuditEntry>(entry: Entry) {
  return { ...entry, subject: jsonOf(entry.subject) }
}

function jsonOf(subject: AuditSubject | null): string | null {
  return subject === null ? null : JSON.stringify(subject)
}

function recordOf({ subject, ...row }: AuditRow): AuditRecord {
  return { ...row, subject: subject === null ? null : (JSON.parse(subject) as AuditSubject) }
}

/** The audit trail of operators. */
export function createAudit(executor: Executor): Audit {
  return {
    async record(made) {
      await executor.batch([bind(record, { ...auditRow(made) })])
    },
    async settle(auditId, outcome, subject) {
      await executor.batch([bind(settle, { auditId, outcome, subject: jsonOf(subject) })])
    },
    async list(filter, after, limit) {
      return (await rowsOf(executor, listStatement(filter, after, limit))).map(recordOf)
    },
  }
}

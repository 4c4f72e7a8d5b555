import { sql, type Expression } from 'kysely'
import type {
  Audit,
  AuditEntry,
  AuditFilter,
  AuditOutcome,
  AuditPosition,
  AuditRecord,
  AuditSubject,
} from '../../../ports/operators.ts'
import { keysOf, parsedOr } from '../../../domain/text/encoding.ts'
import type { Database, JsonText } from '../statement/database.ts'
import { atMost, bind, db, slot, template, type Template } from '../statement/compiler.ts'
import { rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { templateCache } from '../../sql/statement.ts'

const insertedRow = {
  audit_id: slot('auditId'),
  at: slot('at'),
  operator_key_id: slot('operatorKeyId'),
  operator: slot('operator'),
  action: slot('action'),
  organization_id: slot('organizationId'),
  outcome: slot('outcome'),
  subject: slot('subject'),
}

const record = template(
  db
    .insertInto('audit')
    .values(insertedRow)
    .onConflict((conflict) =>
      conflict
        .column('audit_id')
        .doUpdateSet(({ ref }) => ({ outcome: ref('excluded.outcome') }))
        .where('audit.outcome', '=', sql.lit('refused'))
        .where('excluded.outcome', '=', sql.lit('failed')),
    ),
)

/**
 * Prepares the statement that records a change, in the same batch. The record may exist already, as failed or refused:
 * a change that was first tried in a family's own database, before the family moved here, or that another change
 * overtook.
 * @param subject what the change is about, as JSON
 * @param outcome Default: done if the preceding statement, which makes the change, wrote something; `changes()` counts
 *   what that statement wrote, without its triggers.
 */
export function recordChangeTemplate(
  subject: Expression<JsonText<AuditSubject>> = slot('subject'),
  outcome: Expression<AuditOutcome> = sql`case when changes() > 0 then 'done' else 'refused' end`,
): Template {
  return template(
    db
      .insertInto('audit')
      .values({ ...insertedRow, outcome, subject })
      .onConflict((conflict) =>
        conflict
          .column('audit_id')
          .doUpdateSet(({ ref }) => ({ outcome: ref('excluded.outcome'), subject: ref('excluded.subject') }))
          .where(({ eb, or }) =>
            or([eb('audit.outcome', '=', sql.lit('failed')), eb('audit.outcome', '=', sql.lit('refused'))]),
          ),
      ),
  )
}
const recordChange = recordChangeTemplate()

const settle = template(
  db
    .updateTable('audit')
    .set({ outcome: slot('outcome'), subject: slot('subject') })
    .where('audit_id', '=', slot('auditId'))
    .where('outcome', '=', sql.lit('failed')),
)

/** The row of a record: its subject is JSON. */
type AuditRow = Omit<AuditRecord, 'subject'> & { readonly subject: JsonText<AuditSubject> | null }

const filterColumns = {
  organizationId: 'organization_id',
  operatorKeyId: 'operator_key_id',
  action: 'action',
} as const satisfies Record<keyof AuditFilter, keyof Database['audit']>

const latestFirst = db
  .selectFrom('audit')
  .select(['audit_id as auditId', 'at', 'operator_key_id as operatorKeyId', 'operator', 'action'])
  .select(['organization_id as organizationId', 'outcome', 'subject'])
  .orderBy('at', 'desc')
  .orderBy('audit_id', 'desc')
  .limit(atMost('limit'))
const later = latestFirst.where(({ eb, refTuple, tuple }) =>
  eb(refTuple('at', 'audit_id'), '<', tuple(slot<string>('at'), slot<string>('auditId'))),
)

const listTemplates = templateCache<Template<AuditRow>>()

/** The statement for a page of records. Each filter has an index in the order of the list. */
export function listStatement(
  filter: AuditFilter,
  after: AuditPosition | null,
  limit: number,
): Statement<AuditRow> {
  const given = keysOf(filterColumns).filter((name) => filter[name] != null)
  const made = listTemplates([...given, after === null].join(), () => {
    const start = after === null ? latestFirst : later
    return template(given.reduce((page, name) => page.where(filterColumns[name], '=', slot(name)), start))
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
  // Whoever shows it checks it. Text that is no JSON must not hide the other records.
  return { ...row, subject: subject === null ? null : (parsedOr(subject, null) as AuditSubject | null) }
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

import { sql, type Expression } from 'kysely'
import type {
  Audit,
  AuditEntry,
  AuditFilter,
  AuditOutcome,
  AuditRecord,
  AuditSubject,
  OpenOperatorChanges,
  OperatorChanges,
} from '../../../ports/operators.ts'
import { keysOf, parsedOr } from '../../../domain/text/encoding.ts'
import { type Database, type JsonText } from '../statement/database.ts'
import {
  atMost,
  bind,
  db,
  slot,
  template,
  type Template,
  one,
  textsOf,
  eb,
  excluded,
  nowOf,
  exists,
} from '../statement/compiler.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { FIRST, LATEST, paged } from '../statement/list.ts'
import { rowsOf, type Executor, type Statement, resultsOf } from '../statement/executor.ts'
import { templateCache } from '../../sql/statement.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { OperatorKeys } from '../../../ports/organizations.ts'
import { operatorKeyFields } from '../../../domain/record/account-fields.ts'
import { aliasesFor, aliasesOf } from '../tables.ts'
import { worksNow, upkeepOf } from './keyed-storage.ts'
import { REVOKED_NAMED_MAX, REVOKED_PLACES_MAX } from '../../../domain/access/operator-credentials.ts'
import { createOutboxStore } from '../outbox/store.ts'
import { isPlaced, type Guard } from '../placement/guard.ts'
import type { Position } from '../../../ports/records.ts'
import { createAdministration } from './organizations.ts'
import { peopleChanges, mayStillChange } from './people.ts'

// Operators: the audit trail, in which each change of theirs is recorded, their keys, and the changes.

const auditFields = [
  ...(['auditId', 'at', 'operatorKeyId', 'operator', 'action', 'organizationId'] as const),
  ...(['outcome', 'subject'] as const),
]
const insertedRow = slotsOf(auditFields)

const record = template(
  db
    .insertInto('audit')
    .values(insertedRow)
    .onConflict((conflict) =>
      conflict
        .column('audit_id')
        .doUpdateSet(excluded(['outcome']))
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
function recordChangeTemplate(
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
          .doUpdateSet(excluded(['outcome', 'subject']))
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

const records = db.selectFrom('audit').select(aliasesFor(auditFields))

const listTemplates = templateCache<Template<AuditRow>>()

/** The statement for a page of records. Each filter has an index in the order of the list. */
export function auditPage(filter: AuditFilter, after: Position | null, limit: number): Statement<AuditRow> {
  const given = keysOf(filterColumns).filter((name) => filter[name] != null)
  const made = listTemplates(given.join(), () => {
    const narrowed = given.reduce((rows, name) => rows.where(filterColumns[name], '=', slot(name)), records)
    return paged(narrowed, ['at', 'audit_id'], 'desc')
  })
  const values = Object.fromEntries(given.map((name) => [name, filter[name] ?? null]))
  return bind(made, { ...values, ...(after ?? LATEST), limit })
}

/** The statement that records a change, as `recordChangeTemplate` says. */
function recordChangeStatement(of: AuditEntry): Statement {
  return bind(recordChange, { ...auditRow(of) })
}

/** The values of an entry, or of a record, for its row. */
function auditRow<Entry extends AuditEntry>(entry: Entry) {
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
      return (await rowsOf(executor, auditPage(filter, after, limit))).map(recordOf)
    },
  }
}

/** The columns of `operator_keys` under the names of their fields, without the proof by which a key was made. */
const operatorKey = db.selectFrom('operator_keys').select(aliasesOf(operatorKeyFields))

const prove = template(
  operatorKey
    .where('key_id', '=', slot('keyId'))
    .where('hash', 'in', [slot('currentHash'), slot('previousHash')])
    .where(({ ref }) => worksNow((column) => ref(column))),
)

const works = template(
  db
    .selectFrom('operator_keys')
    .select(one)
    .where('key_id', '=', slot('keyId'))
    .where(({ ref }) => worksNow((column) => ref(column)))
    .unionAll(db.selectFrom('people').select(one).where('person', '=', slot('keyId'))),
)

const endedWithDescent = template(
  db
    .selectFrom('operator_keys')
    .select('key_id')
    .where('key_id', 'in', textsOf(slot('keyIds')))
    .where('descent_ended_at', 'is not', null)
    .orderBy('key_id'),
)

const listKeys = paged(operatorKey, ['created_at', 'key_id'], 'asc')

const upkeepOfKeys = upkeepOf('operator_keys')

/** The keys of operators. */
export function createOperatorKeys(executor: Executor, clock: Clock): OperatorKeys {
  return {
    async prove({ keyId, hashes: [currentHash, previousHash = null] }) {
      const values = { keyId, currentHash, previousHash, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(prove, values))
      return row ?? null
    },
    async works(keyId) {
      return (await rowsOf(executor, bind(works, { keyId, now: nowOf(clock) }))).length > 0
    },
    async endedWithDescent(keyIds) {
      const statement = bind(endedWithDescent, { keyIds: JSON.stringify(keyIds) })
      return (await rowsOf(executor, statement)).map(({ key_id }) => key_id)
    },
    list: (after, limit) => rowsOf(executor, bind(listKeys, { ...(after ?? FIRST), limit })),
    ...upkeepOfKeys(() => executor),
  }
}

/** A key is issued only while its issuer works, and does not outlive it. The holder of the root secret has no end. */
const mayIssue = eb.or([
  mayStillChange(slot<string | null>('issuedBy'), sql.lit(null)),
  exists(
    db
      .selectFrom('operator_keys as issuer')
      .where('issuer.key_id', '=', slot('issuedBy'))
      .where(({ ref }) => worksNow((column) => ref(`issuer.${column}`)))
      .where(({ eb, or }) =>
        or([eb('issuer.expires_at', 'is', null), eb('issuer.expires_at', '>=', slot('expiresAt'))]),
      ),
  ),
])

const isProofUsed = exists(db.selectFrom('operator_keys as other').where('other.proof', '=', slot('proof')))

const addKey = template(
  insertWhen(
    'operator_keys',
    slotsOf([...keysOf(operatorKeyFields), 'proof']),
    eb.and([mayIssue, eb.not(isProofUsed)]),
  ),
)

/** The ids of an operator key and, if that is asked for, of all that descend from it. */
const revocable = db
  .withRecursive('tree(key_id)', (tree) =>
    tree
      .selectNoFrom(slot<string>('keyId').as('key_id'))
      .union(
        tree
          .selectFrom('tree')
          .innerJoin('operator_keys as issued', 'issued.issued_by', 'tree.key_id')
          .select('issued.key_id')
          .where(slot('withDescendants')),
      ),
  )
  .selectFrom('tree')
  .select('key_id')
const findRevocable = template(revocable.orderBy('key_id'))

/** Those of them that are not revoked yet. The statements that read them come before the one that revokes them. */
const working = db
  .selectFrom('operator_keys')
  .where('key_id', 'in', revocable)
  .where('revoked_at', 'is', null)
  .orderBy('created_at')
  .orderBy('key_id')

const findWorking = template(working.select(['key_id as keyId', 'operator', 'role']))

/** What else descends from them and is not revoked yet, wherever it lives. */
const issued = db
  .selectFrom('api_keys as k')
  .where(slot('withDescendants'))
  .where('k.issued_by', 'in', revocable)
  .where('k.revoked_at', 'is', null)
  .where(({ not, ref }) => not(isPlaced(ref('k.organization_id'))))
const isPaused = exists(
  db
    .selectFrom('write_pauses as w')
    .where(({ eb }) => eb('w.organization_id', '=', sql.ref<string>('k.organization_id'))),
)

/** The part of it that is written in the same step: all that is in this database, and not about to leave it. */
const issuedHere = issued
  .where(({ not }) => not(isPaused))
  .orderBy('k.created_at')
  .orderBy('k.key_id')
const findIssued = template(issuedHere.select(['k.key_id as keyId', 'k.organization_id as organizationId']))

/** The organizations of the rest: one more than a revocation asks, which shows that it is not complete. */
const elsewhere = db
  .selectFrom('placed_keys as k')
  .select('k.organization_id')
  .where(slot('withDescendants'))
  .where('k.issued_by', 'in', revocable)
  .union(issued.where(isPaused).select(sql.ref<string>('k.organization_id').as('organization_id')))
const findElsewhere = template(elsewhere.orderBy('organization_id').limit(atMost('limit')))

const revokeKeys = template(
  db
    .updateTable('operator_keys')
    .set(({ fn }) => ({
      revoked_at: fn.coalesce('revoked_at', slot('revokedAt')),
      descent_ended_at: sql`case when ${slot('withDescendants')} then coalesce(descent_ended_at, ${slot('revokedAt')}) else descent_ended_at end`,
    }))
    .where('key_id', 'in', revocable),
)

const revokeIssued = template(
  db
    .updateTable('api_keys')
    .set({ revoked_at: slot('revokedAt') })
    .where('key_id', 'in', issuedHere.select('k.key_id')),
)

/** Ids as the text of a JSON array. Not every version of SQLite knows that the value of a subselect is JSON, hence `json`. */
function namesOf(ids: Expression<{ readonly key_id: string }>): Expression<unknown> {
  return sql`json((select json_group_array(key_id) from (${ids})))`
}
const ofRecord = sql.lit(REVOKED_NAMED_MAX)
const descendants = working.select('key_id').where('key_id', '<>', slot('keyId')).limit(ofRecord)
const keysHere = issuedHere.select('k.key_id').limit(ofRecord)

/** The subject of a revocation, with what it ends in this database. */
const revokedSubject = sql<JsonText<AuditSubject>>`case when ${slot('withDescendants')} then json_set(
  ${slot('subject')}, '$.descendants', ${namesOf(descendants)}, '$.keys', ${namesOf(keysHere)})
  else ${slot('subject')} end`

const isThere = exists(db.selectFrom('operator_keys').where('key_id', '=', slot('keyId')))
/** While there is more elsewhere, the revocation has failed; whoever ends that says so. */
const revocationOutcome = sql<AuditOutcome>`case when not ${isThere} then 'refused'
  when ${eb.exists(elsewhere)} then 'failed' else 'done' end`
const recordRevocation = recordChangeTemplate(revokedSubject, revocationOutcome)

/** Makes a guard over an executor. */
type Guarded = (executor: Executor) => Guard

/** Opens the changes of one request. The audit entry is written in the same batch as each change. */
export function operatorChanges(executor: Executor, clock: Clock, guarded: Guarded): OpenOperatorChanges {
  return (entry) => {
    const recording = recordingExecutor(executor, entry)
    const guard = guarded(recording)
    const administration = createAdministration(recording, clock, guard, true)
    const outbox = createOutboxStore(recording, guard)
    return {
      saveOrganization: (...given) => administration.saveOrganization(...given),
      addKey: (key) => administration.addKey(key),
      revokeKey: (keyId, revokedAt) => administration.revokeKey(keyId, revokedAt),
      rotateKey: (rotation) => administration.rotateKey(rotation),
      redrive: (outboxId, now) => outbox.redrive(outboxId, now),
      ...operatorKeyChanges(executor, clock, entry),
      ...peopleChanges(recording, executor, (auditId, organizationId) =>
        recordChangeStatement({ ...entry, auditId: auditId ?? entry.auditId, organizationId }),
      ),
    }
  }
}

function operatorKeyChanges(
  executor: Executor,
  clock: Clock,
  entry: AuditEntry,
): Pick<OperatorChanges, 'addOperatorKey' | 'revokeOperatorKey'> {
  return {
    async addOperatorKey({ key, proof }) {
      const recording = recordingExecutor(executor, entry)
      const [added] = await recording.batch([bind(addKey, { ...key, proof, now: nowOf(clock) })])
      if (added?.changes !== 0) return 'added'
      return key.issuedBy === null ? 'proof_used' : 'issuer_ended'
    },
    async revokeOperatorKey({ withDescendants, ...revocation }) {
      const values = {
        ...revocation,
        withDescendants: Number(withDescendants),
        limit: REVOKED_PLACES_MAX + 1,
      }
      const [
        { rows: operatorKeys },
        { rows: keys },
        { rows: issuers },
        { rows: unreached },
        ,
        ,
        { changes },
      ] = await resultsOf(executor, [
        bind(findWorking, values),
        bind(findIssued, values),
        bind(findRevocable, values),
        bind(findElsewhere, values),
        bind(recordRevocation, { ...auditRow(entry), ...values }),
        bind(revokeIssued, values),
        bind(revokeKeys, values),
      ])
      if (changes === 0) return null
      return {
        operatorKeys,
        keys,
        issuers: issuers.map(({ key_id }) => key_id),
        unreached: unreached.map(({ organization_id }) => organization_id),
      }
    },
  }
}

/**
 * An executor that appends the audit record to each batch. The last statement of each batch must be the one that makes
 * the change, because the record depends on what it wrote.
 */
function recordingExecutor(executor: Executor, entry: AuditEntry): Executor {
  return {
    batch: async (statements) =>
      (await executor.batch([...statements, recordChangeStatement(entry)])).slice(0, statements.length),
  }
}

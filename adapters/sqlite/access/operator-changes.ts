import { sql } from 'kysely'
import type { AuditEntry, AuditSubject } from '../../../ports/operators/audit.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { OpenOperatorChanges, OperatorChanges } from '../../../ports/operators/operator-changes.ts'
import { createOutboxStore } from '../outbox/store.ts'
import { bind, db, eb, slot, template } from '../statement/compiler.ts'
import { one } from '../statement/words.ts'
import { operatorKeyFields } from '../../../domain/record/stored-fields.ts'
import { keysOf } from '../../../domain/text/keys-of.ts'
import { columnName } from '../database/column-name.ts'
import type { JsonText } from '../database/json-text.ts'
import type { Guard } from '../placement/guard.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'
import { createAdministration } from './administration.ts'
import { auditRow, recordChangeStatement, recordChangeTemplate } from './audit.ts'

/** A key is issued only while its issuer works, and does not outlive it. The holder of the root secret has no end. */
const mayIssue = eb.or([
  eb(slot<string | null>('issuedBy'), 'is', null),
  eb.exists(
    db
      .selectFrom('operator_keys as issuer')
      .select(one)
      .where('issuer.key_id', '=', slot('issuedBy'))
      .where(({ ref }) => worksNow((column) => ref(`issuer.${column}`)))
      .where(({ eb, or }) =>
        or([eb('issuer.expires_at', 'is', null), eb('issuer.expires_at', '>=', slot('expiresAt'))]),
      ),
  ),
])

const operatorKeyFieldNames = keysOf(operatorKeyFields)

const addKey = template(
  db
    .insertInto('operator_keys')
    .columns([...operatorKeyFieldNames.map(columnName), 'proof'])
    .expression(
      db
        .selectNoFrom([...operatorKeyFieldNames, 'proof'].map((field) => slot(field).as(field)))
        .where(mayIssue)
        .where(({ exists, not }) =>
          not(
            exists(
              db.selectFrom('operator_keys as other').select(one).where('other.proof', '=', slot('proof')),
            ),
          ),
        ),
    ),
)

/** The ids of a key and, if that is asked for, of all that descend from it. */
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

/** Those of them that are not revoked yet. The statements that read them come before the one that revokes them. */
const working = db
  .selectFrom('operator_keys')
  .where('key_id', 'in', revocable)
  .where('revoked_at', 'is', null)
  .orderBy('created_at')
  .orderBy('key_id')

const findWorking = template(working.select(['key_id as keyId', 'operator', 'role']))

const revokeKeys = template(
  db
    .updateTable('operator_keys')
    .set(({ fn }) => ({ revoked_at: fn.coalesce('revoked_at', slot('revokedAt')) }))
    .where('key_id', 'in', revocable),
)

/** How many descendants a record names. A text has a maximum size, and more must not make the revocation fail. */
const DESCENDANTS_NAMED_MAX = 1000

const namedDescendants = working
  .select('key_id')
  .where('key_id', '<>', slot('keyId'))
  .limit(sql.lit(DESCENDANTS_NAMED_MAX))

/**
 * The subject of a revocation, with the descendants that it ends. Not every version of SQLite knows that the value of a
 * subselect is JSON, hence `json`.
 */
const revokedSubject = sql<JsonText<AuditSubject>>`case when ${slot('withDescendants')} then json_set(
  ${slot('subject')}, '$.descendants', json((select json_group_array(key_id) from (${namedDescendants}))))
  else ${slot('subject')} end`

const isThere = eb.exists(db.selectFrom('operator_keys').select(one).where('key_id', '=', slot('keyId')))
const recordRevocation = recordChangeTemplate(revokedSubject, isThere)

/** Makes a guard over an executor. */
type Guarded = (executor: Executor) => Guard

/** Opens the changes of one request. The audit entry is written in the same batch as each change. */
export function operatorChanges(executor: Executor, clock: Clock, guarded: Guarded): OpenOperatorChanges {
  return (entry) => {
    const recording = recordingExecutor(executor, entry)
    const guard = guarded(recording)
    const administration = createAdministration(recording, clock, guard)
    const outbox = createOutboxStore(recording, guard)
    return {
      saveOrganization: (organization, replaced) => administration.saveOrganization(organization, replaced),
      addKey: (key) => administration.addKey(key),
      revokeKey: (keyId, revokedAt) => administration.revokeKey(keyId, revokedAt),
      rotateKey: (rotation) => administration.rotateKey(rotation),
      redrive: (outboxId, now) => outbox.redrive(outboxId, now),
      ...operatorKeyChanges(executor, clock, entry),
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
      const values = { ...revocation, withDescendants: Number(withDescendants) }
      const [{ rows }, , { changes }] = await resultsOf(executor, [
        bind(findWorking, values),
        bind(recordRevocation, { ...auditRow(entry), ...values }),
        bind(revokeKeys, values),
      ])
      return changes === 0 ? null : rows
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

import { sql } from 'kysely'
import type { AuditEntry } from '../../../ports/operators/audit.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type {
  OpenOperatorChanges,
  OperatorChanges,
  RevokedOperatorKey,
} from '../../../ports/operators/operator-changes.ts'
import { createOutboxStore } from '../outbox/store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import type { Executor } from '../statement/executor.ts'
import { resultsOf } from '../statement/executor.ts'
import { columnList, valueList } from '../table/field-columns.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'
import { createAdministration } from './administration.ts'
import { auditRow, recordChangeStatement, recordChangeTemplate } from './audit.ts'
import { operatorKeyColumns } from './operator-keys.ts'

/** A key is issued only while its issuer works, and does not outlive it. The holder of the root secret has no end. */
const mayIssue = sql`(${slot('issuedBy')} is null or exists (
  select 1 from operator_keys as issuer where issuer.key_id = ${slot('issuedBy')} and ${worksNow('issuer')}
    and (issuer.expires_at is null or issuer.expires_at >= ${slot('expiresAt')})))`

const addKey = template(sql`
  insert into operator_keys (${columnList(operatorKeyColumns)}, proof)
  select ${valueList(operatorKeyColumns)}, ${slot('proof')}
  where ${mayIssue}
    and not exists (select 1 from operator_keys as other where other.proof = ${slot('proof')})`)

/** The ids of a key and, if that is asked for, of all that descend from it. */
const revocable = sql`(with recursive tree (key_id) as (
  select ${slot('keyId')}
  union
  select issued.key_id from tree join operator_keys as issued on issued.issued_by = tree.key_id
  where ${slot('withDescendants')}) select key_id from tree)`

/** Those of them that are not revoked yet. The statements that read them come before the one that revokes them. */
const working = sql`from operator_keys where key_id in ${revocable} and revoked_at is null`

const findWorking = template(sql<RevokedOperatorKey>`
  select key_id as "keyId", operator, role ${working} order by created_at, key_id`)

const revokeKeys = template(sql`
  update operator_keys set revoked_at = coalesce(revoked_at, ${slot('revokedAt')}) where key_id in ${revocable}`)

/** How many descendants a record names. A text has a maximum size, and more must not make the revocation fail. */
const DESCENDANTS_NAMED_MAX = 1000

/**
 * The subject of a revocation, with the descendants that it ends. Not every version of SQLite knows that the value of a
 * subselect is JSON, hence `json`.
 */
const revokedSubject = sql`case when ${slot('withDescendants')} then json_set(${slot('subject')}, '$.descendants', json((
  select json_group_array(key_id) from (select key_id ${working} and key_id <> ${slot('keyId')}
    order by created_at, key_id limit ${sql.lit(DESCENDANTS_NAMED_MAX)})))) else ${slot('subject')} end`

const isThere = sql`exists (select 1 from operator_keys where key_id = ${slot('keyId')})`
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

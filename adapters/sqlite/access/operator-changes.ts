import { sql } from '../statement/sql.ts'
import type { AuditEntry } from '../../../ports/audit.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OpenOperatorChanges, OperatorChanges } from '../../../ports/operator-changes.ts'
import { createOutboxStore } from '../outbox/store.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Guard } from '../placement/guard.ts'
import type { Executor } from '../statement/executor.ts'
import { columnList, valueList } from '../table/field-columns.ts'
import { createAdministration } from './administration.ts'
import { recordChangeStatement } from './audit.ts'
import { operatorKeyColumns } from './operator-keys.ts'

const addKey = template(sql`
  insert into operator_keys (${columnList(operatorKeyColumns)}, proof)
  select ${valueList(operatorKeyColumns)}, ${slot('proof')}
  where not exists (select 1 from operator_keys as other where other.proof = ${slot('proof')})`)

const revokeKey = template(sql`
  update operator_keys set revoked_at = coalesce(revoked_at, ${slot('revokedAt')}) where key_id = ${slot('keyId')}`)

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
      ...operatorKeyChanges(recording),
    }
  }
}

function operatorKeyChanges(
  recording: Executor,
): Pick<OperatorChanges, 'addOperatorKey' | 'revokeOperatorKey'> {
  return {
    async addOperatorKey({ key, proof }) {
      const [added] = await recording.batch([bind(addKey, { ...key, proof })])
      return added?.changes === 0 ? 'proof_used' : 'added'
    },
    async revokeOperatorKey(keyId, revokedAt) {
      const [revoked] = await recording.batch([bind(revokeKey, { keyId, revokedAt })])
      return revoked?.changes === 1
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

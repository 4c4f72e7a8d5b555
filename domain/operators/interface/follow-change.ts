import type { AuditEntry, AuditOutcome } from '../../../ports/audit.ts'
import type { OperatorChanges } from '../../../ports/operator-changes.ts'
import type { Operator } from '../../access/operator.ts'
import { randomBase62 } from '../../text/encoding.ts'
import { toInstant } from '../../text/instant.ts'
import type { OperatorWorld } from './world.ts'

/** The change that a request asks for, as its handler makes it. */
export interface Change {
  /**
   * What may be changed, of one organization or (null) of the platform or the service itself. Whatever is changed
   * through it is recorded in the same step.
   */
  about(organizationId: string | null): OperatorChanges
  /**
   * Records the change as failed, before it is made by other ports than `OperatorChanges`; how it ended is recorded
   * afterwards. So no change is without a record, even if the service dies meanwhile.
   */
  announce(): Promise<void>
}

/** A change that is followed from the request to its record. */
export interface FollowedChange extends Change {
  /**
   * Records how the request ended, unless the change was recorded when it was made. Null: the request could not be read,
   * which is recorded only of a change that was announced.
   */
  record(outcome: AuditOutcome | null): Promise<void>
}

const AUDIT_ID_LENGTH = 16

/**
 * Follows what an operator asked for.
 * @param organizationId whom the request names; null: nobody, as far as its path tells
 */
export function followChange(
  action: string,
  operator: Operator,
  organizationId: string | null,
  { audit, changes, clock, random }: OperatorWorld,
): FollowedChange {
  let entry: AuditEntry = {
    auditId: randomBase62(AUDIT_ID_LENGTH, (length) => random.bytes(length)),
    at: toInstant(clock.nowMs()),
    operatorKeyId: operator.keyId,
    operator: operator.name,
    action,
    organizationId,
  }
  let isAnnounced = false
  return {
    about(about) {
      entry = { ...entry, organizationId: about }
      return changes(entry)
    },
    async announce() {
      await audit.record({ ...entry, outcome: 'failed' })
      isAnnounced = true
    },
    async record(outcome) {
      if (isAnnounced) await audit.settle(entry.auditId, outcome ?? 'refused')
      else if (outcome !== null) await audit.record({ ...entry, outcome })
    },
  }
}

/** How a request ended, by the status of its answer; null: it was no change, because the request could not be read. */
export function outcomeOf(status: number): AuditOutcome | null {
  if (status < 400) return 'done'
  return status === 400 ? null : 'refused'
}

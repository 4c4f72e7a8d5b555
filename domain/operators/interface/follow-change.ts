import type { AuditEntry, AuditOutcome } from '../../../ports/audit.ts'
import type { OperatorChanges } from '../../../ports/operator-changes.ts'
import type { Operator } from '../../access/operator.ts'
import { randomBase62 } from '../../text/encoding.ts'
import { toInstant } from '../../text/instant.ts'
import type { OperatorWorld } from './world.ts'

/** The change that a request asks for, for its handler to make. */
export interface Change {
  /**
   * The changes that can be made to one organization, or, for null, to the platform or the service itself. Every change
   * is recorded in the same step.
   */
  about(organizationId: string | null): OperatorChanges
  /**
   * Records the change as failed before it is made through ports other than `OperatorChanges`. Its true outcome is
   * recorded afterwards. So every change has a record, even if the service dies meanwhile.
   */
  announce(): Promise<void>
}

/** A change that is followed from the request to its record. */
export interface FollowedChange extends Change {
  /**
   * Records how the request ended, unless the change was recorded when it was made. Null: the request could not be
   * read. That is recorded only when the change was announced.
   */
  record(outcome: AuditOutcome | null): Promise<void>
}

const AUDIT_ID_LENGTH = 16

/**
 * Tracks the change that an operator asks for.
 * @param organizationId the organization in the request's path; null: the path names none
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

/** The outcome of a request, by the status of its reply. Null: the request could not be read, so it was no change. */
export function outcomeOf(status: number): AuditOutcome | null {
  if (status < 400) return 'done'
  return status === 400 ? null : 'refused'
}

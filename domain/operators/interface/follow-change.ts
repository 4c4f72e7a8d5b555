import type { AuditEntry, AuditOutcome, AuditSubject, OperatorChanges } from '../../../ports/operators.ts'
import { hasGoodChecksum, isKeyId, isOrganizationId } from '../../access/api-key.ts'
import type { Operator } from '../../access/operator-credentials.ts'
import { randomBase62 } from '../../text/encoding.ts'
import { toInstant } from '../../text/instant.ts'
import type { RoutedRequest } from '../../record/reply.ts'
import type { OperatorWorld } from './world.ts'

/** The change that a request asks for, for its handler to make. */
export interface Change {
  /**
   * The changes that can be made to one organization, or, for null, to the platform or the service itself. Every change
   * is recorded in the same step, with what it is about.
   */
  about(organizationId: string | null, subject: AuditSubject): OperatorChanges
  /**
   * Records the change as failed before it is made through ports other than `OperatorChanges`. Its true outcome is
   * recorded afterwards. So every change has a record, even if the service dies meanwhile.
   * @param organizationId the organization that it is about, where the path does not name it
   */
  announce(subject: AuditSubject, organizationId?: string): Promise<void>
  /** Says what an announced change turned out to be about. That is recorded with its outcome. */
  concerns(subject: AuditSubject): void
  /** Says that the request goes on with what an earlier one recorded, so that it leaves no record of its own. */
  continues(): void
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
 * @param params the parameters of the request's path, which name the organization and the subject if they can
 */
export function followChange(
  action: string,
  operator: Operator,
  params: RoutedRequest['params'],
  { audit, changes, clock, random }: OperatorWorld,
): FollowedChange {
  let entry: AuditEntry = {
    auditId: randomBase62(AUDIT_ID_LENGTH, (length) => random.bytes(length)),
    at: toInstant(clock.nowMs()),
    operatorKeyId: operator.keyId,
    operator: operator.name,
    action,
    organizationId: organizationIn(params),
    subject: subjectIn(params),
  }
  let isAnnounced = false
  let isContinued = false
  return {
    about(organizationId, subject) {
      entry = { ...entry, organizationId, subject }
      return changes(entry)
    },
    async announce(subject, organizationId) {
      entry = { ...entry, subject, organizationId: organizationId ?? entry.organizationId }
      await audit.record({ ...entry, outcome: 'failed' })
      isAnnounced = true
    },
    concerns(subject) {
      entry = { ...entry, subject }
    },
    continues() {
      isContinued = true
    },
    async record(outcome) {
      if (isContinued) return
      if (isAnnounced) await audit.settle(entry.auditId, outcome ?? 'refused', entry.subject)
      else if (outcome !== null) await audit.record({ ...entry, outcome })
    },
  }
}

/**
 * The form of each id that a path may name. A text of another form was mistyped, and may be anything, even a key, so it
 * is not recorded.
 */
const PATH_IDS = {
  keyId: { type: 'key', isId: isKeyId },
  importId: { type: 'import', isId: (text: string) => /^imp_[0-9A-Za-z]{1,64}$/.test(text) },
  outboxId: { type: 'entry', isId: (text: string) => /^(?:[\w-]{1,64}:)?(?:obx|run)_\w{1,90}$/.test(text) },
} as const

/** The organization that the path of a request names; null: none, or a text that cannot be one, or that is a key. */
function organizationIn({ organizationId = '' }: RoutedRequest['params']): string | null {
  return isOrganizationId(organizationId) && !hasGoodChecksum(organizationId) ? organizationId : null
}

/** What the path of a request names. A handler that finds it knows more. */
function subjectIn(params: RoutedRequest['params']): AuditSubject | null {
  for (const [name, { type, isId }] of Object.entries(PATH_IDS)) {
    const id = params[name]
    if (id !== undefined && isId(id)) return { type, id }
  }
  return null
}

/** The outcome of a request, by the status of its reply. Null: the request could not be read, so it was no change. */
export function outcomeOf(status: number): AuditOutcome | null {
  if (status < 400) return 'done'
  return status === 400 ? null : 'refused'
}

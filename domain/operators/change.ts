import type { AuditEntry, AuditOutcome, AuditSubject, OperatorChanges } from '../../ports/operators.ts'
import type { RandomSource } from '../../ports/platform.ts'
import { hasGoodChecksum, isKeyId, isOrganizationId } from '../access/keys.ts'
import type { Operator } from '../access/operator-credentials.ts'
import { randomBase62, toBase64Url, utf8 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { jsonReply, PRIVATE, type RoutedRequest, type JsonReply } from '../record/reply.ts'
import type { OperatorWorld } from './world.ts'
import type { OperationEndpoint, Overtaken } from '../record/operation.ts'
import { strongTags } from '../text/http.ts'
import { namedBy } from '../webhooks/webhook.ts'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import type { ImportIssue } from '../record/resource.ts'
import { ended } from '../text/schema-errors.ts'

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

/** The id of a record. */
export function drawAuditId(random: RandomSource): string {
  return randomBase62(AUDIT_ID_LENGTH, (length) => random.bytes(length))
}

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
    auditId: drawAuditId(random),
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
  webhookId: { type: 'webhook', isId: (text: string) => namedBy(text) !== null },
  outboxId: {
    type: 'entry',
    isId: (text: string) => /^(?:[\w-]{1,64}:)?(?:obx|run|alr)_\w{1,90}$/.test(text),
  },
} as const

/** The organization that the path of a request names; null: none, or a text that cannot be one, or that is a key. */
function organizationIn({ organizationId, webhookId, deliveryId }: RoutedRequest['params']): string | null {
  const named = webhookId ?? deliveryId
  if (named !== undefined) return namedBy(named)?.organizationId ?? null
  const id = organizationId ?? ''
  return isOrganizationId(id) && !hasGoodChecksum(id) ? id : null
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

/**
 * Why none of several was saved, as it is answered.
 * @param which names the one that a problem is about, at the beginning of a sentence
 * @param more further sentences
 */
export function nothingSaved<Problem extends ImportIssue>(
  problems: readonly Problem[],
  which: (problem: Omit<Problem, 'field'>) => string,
  more: readonly string[] = [],
) {
  const told = problems
    .slice(0, PROBLEMS_MAX)
    .map(({ field, ...problem }) => ({ ...problem, field: echoed(field) }))
  const sentences = told.map((problem) => `${which(problem)}: ${problem.field} ${ended(problem.message)}`)
  return { error: ['Nothing was saved.', ...sentences, ...more].join(' '), problems: told }
}

/** What a request demands of the state that it changes. */
export interface Precondition {
  /** The state has one of these tags, or any; null: nothing is demanded. */
  readonly ifMatch: readonly string[] | '*' | null
  /** There is no state yet. */
  readonly isNew: boolean
}

/** The precondition of a request to change a state; a sentence: it is malformed. */
export function readPrecondition(headers: Headers, { versioned }: OperationEndpoint): Precondition | string {
  const isChange = versioned !== null && 'of' in versioned
  const given = isChange ? headers.get('if-match') : null
  const ifMatch = given === null ? null : strongTags(given)
  if (given !== null && ifMatch === null)
    return 'If-Match: must be ETags as they were answered, with their quotes and separated by commas, or *.'
  const none = isChange && versioned.mayCreate === true ? headers.get('if-none-match') : null
  if (none !== null && none.trim() !== '*') return 'If-None-Match: must be *.'
  return { ifMatch, isNew: none !== null }
}

/** Whether a request demands anything of the state. */
export function isConditional({ ifMatch, isNew }: Precondition): boolean {
  return ifMatch !== null || isNew
}

/** How a state is read and written, for `changeAsRead`. */
interface StateAccess<Stored, Body, Outcome> {
  readonly read: () => Promise<Stored>
  /** The state as the operation that shows it answers; null: there is none. */
  readonly shown: (stored: Stored) => Body | null
  /**
   * Writes in one step, provided that what is stored is still what was read; else `overtaken`, and nothing is written.
   * @param isConditional whether the request demands a certain state. If it does not, a write that sets all it depends
   *   on may be made whatever is stored.
   */
  readonly write: (stored: Stored, isConditional: boolean) => Promise<Outcome | 'overtaken'>
}

/** How often a change is tried. Each failed attempt means that another change was made in that moment. */
const ATTEMPTS_MAX = 100

/**
 * Changes a state, if it is as the request demands: the one way to write back what was read. The condition is checked
 * against what was read, and again by the statement that writes, so that no change in between is lost. A change that was
 * overtaken and demands nothing begins again with what is stored now. Where there is no state, what the request demands of
 * it is ignored and the operation answers that nothing is there (RFC 9110, section 13.2.1), unless it may create one.
 */
export async function changeAsRead<Stored, Body extends object, Outcome>(
  operation: OperationEndpoint,
  precondition: Precondition,
  { read, shown, write }: StateAccess<Stored, Body, Outcome>,
): Promise<{ readonly outcome: Outcome } | { readonly refusal: JsonReply<412, Overtaken<Body>> }> {
  const mayCreate = 'mayCreate' in (operation.versioned ?? {})
  for (let attempt = 1; ; attempt += 1) {
    const stored = await read()
    const current = shown(stored)
    const etag = current === null ? null : await etagOf(operation, current)
    const problem = current === null && !mayCreate ? null : problemOf(precondition, etag)
    if (problem !== null) return { refusal: overtaken(problem, current, etag) }
    const outcome = await write(stored, isConditional(precondition))
    if (outcome !== 'overtaken') return { outcome }
    if (attempt === ATTEMPTS_MAX) return { refusal: overtaken(OFTEN, current, etag) }
  }
}

const CHANGED =
  'Somebody else changed this after you read it, so nothing was changed. See current, and try again with its ETag.'
const OFTEN = 'Others changed this again and again meanwhile, so nothing was changed. Try again.'

/** Why a state is not as the request demands; null: it is. `etag` null: there is none. */
function problemOf({ ifMatch, isNew }: Precondition, etag: string | null): string | null {
  if (isNew && etag !== null) return 'It is there already, so nothing was changed. See current.'
  if (ifMatch === null) return null
  if (etag === null) return 'It is not there, or no longer, so nothing was changed.'
  return ifMatch === '*' || ifMatch.includes(etag) ? null : CHANGED
}

/** Proxies may not change the body, because a compressed one gets a weak tag, which matches nothing (RFC 9111). */
const UNCHANGED = { 'cache-control': `${PRIVATE['cache-control'] ?? ''}, no-transform` }

function overtaken<Body>(
  error: string,
  current: Body | null,
  etag: string | null,
): JsonReply<412, Overtaken<Body>> {
  return jsonReply(412, { error, current }, { ...UNCHANGED, ...(etag === null ? {} : { etag }) })
}

/**
 * The answer of an operation that shows or changes a state.
 * @param state the state after it, as the operation that shows it answers; null: the answer is about several
 */
export async function stateReply<Status extends number, Body>(
  operation: OperationEndpoint,
  status: Status,
  body: Body,
  state: object | null,
): Promise<JsonReply<Status, Body>> {
  if (state === null) return jsonReply(status, body, PRIVATE)
  return jsonReply(status, body, { ...UNCHANGED, etag: await etagOf(operation, state) })
}

const DIGEST_BYTES = 16

/**
 * The strong entity tag of a state: a digest of what the operation that shows it answers, without what is no part of
 * the state. Nothing that is not shown goes into it, so a secret can be guessed from it no better than from the answer;
 * a state with a secret shows when it was changed.
 */
async function etagOf({ versioned }: OperationEndpoint, state: object): Promise<string> {
  const showing = versioned !== null && 'of' in versioned ? versioned.of.versioned : versioned
  if (showing === null || !('except' in showing)) throw new Error('The operation shows no state')
  const parts = Object.entries(state).filter(([key]) => !showing.except.includes(key))
  const digest = await crypto.subtle.digest('SHA-256', utf8(JSON.stringify(parts)))
  return `"${toBase64Url(new Uint8Array(digest).slice(0, DIGEST_BYTES))}"`
}

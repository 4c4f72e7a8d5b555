import { toInstant } from '../../../domain/text/instant.ts'
import { DIGEST_MS, DIGEST_NAMED_MAX } from '../../../domain/forms/outbox.ts'
import type { Row } from '../engine/changes.ts'
import type { PlacedChange } from '../service/stored-places.ts'
import type { HandedOver } from '../service/processes/handed-over.ts'
import type { Receivers } from '../service/receivers.ts'
import { HOOK_ASKED_MAX_MS, HOOK_PAUSES_MS, type Deliveries } from './deliveries.ts'
import { digestIn, isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

/**
 * What the manuals say about attempts: the pause after each of them, how much of a pause is left out at most, and how
 * long an entry belongs to its worker, in ms.
 */
const PAUSES_MS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000]
const SHORTENED = 0.25
const LEASE_MS = 45_000
/** The least and the longest pause after a provider asked to wait, in ms. */
const THROTTLED_MS = 60_000
const ASKED_MAX_MS = 6 * 3_600_000

/** How long a message may wait to be within the bounds of automations, in ms, and what its entry then says. */
const WAIT_MAX_MS = 3 * 86_400_000
const WAITS = /^Step \d+: Waits: /
const WAITED = /^Step \d+: Given up after 3 days: /

/** Of how much due work of an organization the queue is told. */
const ANNOUNCED_MAX = 50

/** How long a call may take in one direction, in ms: usually, and when calls may be slow. */
const CALL_MS = 1_000
const SLOW_CALL_MS = 100_000
/** How long a write waits while a move pauses its family, in ms. The instants in it are of before. */
const PAUSED_MAX_MS = 15_000

/** What an entry says of an attempt that broke off within the service. */
const BROKE = 'Internal failure.'

/** Within which time an entry that is due must be taken up, in ms: with a queue message, and by the sweep or alarm. */
const SOON_MS = 10_000
const LATE_MS = 80_000
/** How long after the faults have ended their effects may still last, in ms. */
const AFTERMATH_MS = 180_000

export interface EntryWatch extends Watch {
  readonly email: HandedOver
  readonly sms: HandedOver
  readonly receivers: Receivers
  readonly deliveries: Deliveries
  /** Since when nothing goes wrong, in ms; null: faults go on. */
  readonly quietSinceMs: () => number | null
  /** Whether work of an organization may wait although nothing goes wrong, because something stays broken. */
  readonly mayWait: (organizationId: string) => boolean
}

/** Checks how entries of the outbox proceed: claims, leases, attempts, pauses, and what becomes of them. */
export function createEntryChecks(watch: EntryWatch): ChangeCheck {
  const { nowMs, faults, violated, happened, stored } = watch
  const errorMs = faults.clockErrorMaxMs
  const callMs = faults.mayBe('storageSlow') ? SLOW_CALL_MS : CALL_MS
  /** Forms that took nothing for a time: nobody is told of what came in before. */
  const unpublished = new Set<string>()
  /** Entries that no message of the queue announces: those of what was released, or changed by a step of a run. */
  const unannounced = new Set<string>()
  /** How long a write may have waited before it was made, in ms: a move may have paused its family. */
  const waitedMaxMs = (): number => {
    const since = toInstant(nowMs() - PAUSED_MAX_MS - errorMs)
    const moves = stored.look('select 1 from moves where ended_at is null or ended_at > ? limit 1', since)
    return callMs + (moves.length > 0 ? PAUSED_MAX_MS : 0)
  }
  const claimed = ({ organizationId, before, after }: HomeChange, named: string): void => {
    const dueMs = Date.parse(textOf(before?.next_attempt_at))
    const isNew = before?.lease_token === null
    if (before?.status !== 'pending' || (!isNew && dueMs > nowMs() + errorMs))
      violated('an entry is claimed when it is due', `${named}: ${JSON.stringify(before)}`)
    if (after?.attempts !== Number(before?.attempts) + 1)
      violated('each claim counts as an attempt', `${named}: ${JSON.stringify(after)}`)
    checkLease(after, named)
    if (textOf(before?.lease_token) !== '')
      happened('an entry is taken over from a worker that did not finish')
    const quietMs = watch.quietSinceMs()
    if (quietMs === null || watch.mayWait(organizationId)) return
    const isQueued =
      faults.isCalm && faults.hasQueue && isNew && before.last_error === null && !unannounced.has(named)
    const since = faults.isCalm ? dueMs : Math.max(dueMs, quietMs + AFTERMATH_MS)
    if (nowMs() - since > (isQueued ? SOON_MS : LATE_MS))
      violated('follow-up work begins in time', `${named}: ${nowMs() - since} ms late`)
  }
  const checkLease = (after: Row | null, named: string): void => {
    const untilMs = Date.parse(textOf(after?.next_attempt_at))
    if (
      untilMs > nowMs() + LEASE_MS + errorMs ||
      untilMs < nowMs() + LEASE_MS - errorMs - callMs - PAUSED_MAX_MS
    )
      violated('a worker has an entry for 45 seconds', `${named}: until ${textOf(after?.next_attempt_at)}`)
  }
  /** A message of an automation is over a bound, so its entry waits until the instant that it was told. */
  const waits = ({ organizationId, before, after }: HomeChange, named: string): void => {
    const [since, until] = [Date.parse(textOf(after?.waiting_since)), textOf(after?.next_attempt_at)]
    const isRight =
      WAITS.test(textOf(after?.last_error)) &&
      after?.attempts === Number(before?.attempts) - 1 &&
      since <= nowMs() + errorMs &&
      (before?.waiting_since === null || before?.waiting_since === after.waiting_since)
    const isTold = stored
      .rowsOf(organizationId, 'automation_messages')
      .some((row) => textOf(row.message_id).startsWith(`${named}-`) && row.is_sent === 0 && row.at === until)
    if (!isRight || (!isTold && Date.parse(until) !== since + WAIT_MAX_MS))
      violated('a message over a bound waits until there is room', `${named}: ${JSON.stringify(after)}`)
  }
  const putOff = (change: HomeChange, named: string): void => {
    const { before, after } = change
    if (after?.waiting_since !== null) {
      waits(change, named)
      return
    }
    if (after.kind === 'webhook_delivery') {
      putOffHook(change, named)
      return
    }
    const answer = lastAnswer(named)
    const reason = textOf(after.last_error)
    const isThrottled = answer?.kind === 'unavailable' && answer.throttled && reason.endsWith(answer.reason)
    const isOfProvider = answer?.kind === 'unavailable' && reason.endsWith(answer.reason)
    const attempts = Number(before?.attempts)
    if (after.attempts !== attempts - Number(isThrottled))
      violated('throttling uses up no attempt', `${named}: ${JSON.stringify(after)}`)
    const pauseMs = isThrottled ? 0 : PAUSES_MS[attempts - 1]
    if (pauseMs === undefined) {
      violated('an entry is given up after its last attempt', `${named}: ${JSON.stringify(after)}`)
      return
    }
    const askedMs = isOfProvider ? Math.min(answer.retryAfterMs ?? 0, ASKED_MAX_MS) : 0
    const leastMs = Math.max(pauseMs * (1 - SHORTENED), askedMs, isThrottled ? THROTTLED_MS : 0)
    const mostMs = Math.max(pauseMs, askedMs, isThrottled ? THROTTLED_MS : 0)
    const waitMs = Date.parse(textOf(after.next_attempt_at)) - nowMs()
    if (waitMs < leastMs - errorMs - waitedMaxMs() || waitMs > mostMs + errorMs)
      violated(
        'attempts pause as the manual says',
        `${named}, attempt ${attempts}: ${waitMs} ms, not ${leastMs} to ${mostMs} ms`,
      )
    happened('an entry is put off')
    if (askedMs > pauseMs) happened('an entry waits as long as the provider asked')
  }
  /** A webhook or the service failed, so the webhook is told again after a pause, or when it asked for. */
  const putOffHook = ({ before, after }: HomeChange, named: string): void => {
    const attempts = Number(before?.attempts)
    const pauseMs = HOOK_PAUSES_MS[attempts - 1]
    if (after?.attempts !== attempts || pauseMs === undefined) {
      violated('a delivery is given up after its last attempt', `${named}: ${JSON.stringify(after)}`)
      return
    }
    const answer = after.last_error === BROKE ? undefined : watch.receivers.lastAnswer(named)
    const askedMs = Math.min(answer?.retryAfterMs ?? 0, HOOK_ASKED_MAX_MS)
    const wantedMs = Math.max(pauseMs, askedMs)
    const waitMs = Date.parse(textOf(after.next_attempt_at)) - nowMs()
    if (waitMs < wantedMs - errorMs - waitedMaxMs() || waitMs > wantedMs + errorMs)
      violated('a webhook is told again as the manual says', `${named}: ${waitMs} ms, not ${wantedMs} ms`)
    happened('a delivery is put off')
  }
  const failed = ({ before, after }: HomeChange, named: string): void => {
    const reason = textOf(after?.last_error)
    const answer = lastAnswer(named)
    if (WAITED.test(reason)) {
      if (nowMs() - Date.parse(textOf(before?.waiting_since)) < WAIT_MAX_MS - errorMs)
        violated('a message over a bound is given up after three days', `${named}: ${JSON.stringify(before)}`)
      return
    }
    if (reason.startsWith('Given up')) {
      if (Number(before?.attempts) <= PAUSES_MS.length)
        violated('an entry is given up after its last attempt', `${named}: ${JSON.stringify(after)}`)
      happened('an entry is given up')
      return
    }
    const isRefused = answer?.kind === 'refused' && reason.endsWith(answer.reason)
    if (!isRefused && !isHopeless(reason))
      violated('no entry fails but by its provider', `${named}: ${reason}`)
  }
  const retried = ({ before, after }: HomeChange, named: string): void => {
    const isHeld = before?.status === 'pending' && textOf(before.lease_token) !== ''
    if (isHeld && Date.parse(textOf(before.next_attempt_at)) > nowMs() + errorMs)
      violated('an entry that is being worked on is not retried', `${named}: ${JSON.stringify(before)}`)
    if (after?.attempts !== 0 || Date.parse(textOf(after.next_attempt_at)) > nowMs() + errorMs)
      violated(
        'an entry that is retried is due, with all attempts before it',
        `${named}: ${JSON.stringify(after)}`,
      )
    happened('an entry is retried by an operator')
  }
  /** A digest gathers for ten minutes, and nobody takes it before. */
  const begins = (digest: Row): void => {
    const [at, dueAt] = [digest.created_at, digest.next_attempt_at].map((text) => Date.parse(textOf(text)))
    if (digest.lease_token !== '' || Number(dueAt) - Number(at) !== DIGEST_MS)
      violated('a digest gathers for ten minutes', JSON.stringify(digest))
  }
  /** More submissions are in a digest that nobody has taken yet; several when they are released together. */
  const gathers = ({ before, after, columns }: HomeChange, named: string): void => {
    const [was, is] = [digestIn(before), digestIn(after)]
    const isRight =
      before?.kind === 'notification_digest' &&
      before.status === 'pending' &&
      before.attempts === 0 &&
      was.formId === is.formId &&
      is.count > was.count &&
      is.first.length === Math.min(is.count, DIGEST_NAMED_MAX) &&
      is.first.slice(0, was.first.length).join() === was.first.join() &&
      columns.every((column) => ['payload', 'last_error', 'updated_at'].includes(column))
    if (!isRight)
      violated('a digest gathers one after the other', `${named}: ${columns.join()} ${JSON.stringify(after)}`)
  }
  /** An email to each of the form's addresses takes the place of a digest, unless its form takes nothing any more. */
  const digestEnded = (before: Row, changes: readonly PlacedChange[], named: string): void => {
    const digest = digestIn(before)
    const emails = changes
      .filter(({ table, isHome, before: was }) => isHome && table === 'outbox' && was === null)
      .map(({ after }) => digestIn(after))
      .filter(({ first }) => first.join() === digest.first.join())
    const isRight = emails.every(({ count }) => count === digest.count)
    if (!isRight || (emails.length === 0 && !unpublished.has(digest.formId)))
      violated('an email to each address takes the place of a digest', `${named}: ${emails.length}`)
    happened('a digest is sent')
  }
  /** Whether all that an email would have told of was marked as spam since. */
  const isOfSpam = (organizationId: string, entry: Row | null): boolean => {
    const { first } = digestIn(entry)
    const isSpam = (id: string) => stored.rowOf(organizationId, 'form_submissions', id)?.spam !== 0
    return first.length > 0 && first.every(isSpam)
  }
  const done = (
    { organizationId, before }: HomeChange,
    named: string,
    changes: readonly PlacedChange[],
  ): void => {
    if (before?.kind === 'webhook_delivery') {
      if (!watch.deliveries.mayLeave(organizationId, before))
        violated(
          'an event leaves the outbox when its webhook was told',
          `${named}: ${JSON.stringify(before)}`,
        )
      return
    }
    if (textOf(before?.lease_token) === '')
      violated('an entry is done by its worker', `${named}: ${JSON.stringify(before)}`)
    if (before?.kind === 'notification_digest') {
      digestEnded(before, changes, named)
      return
    }
    // In this world nobody answers for an organization, so nobody is told.
    if (before?.kind === 'alert_email') return
    const run = stored.rowOf(organizationId, 'automation_runs', named)
    const isDone =
      before?.kind === 'automation_run'
        ? run?.status === 'completed'
        : watch.email.deliveredAtMs(named) !== undefined ||
          unpublished.has(formOf(before)) ||
          isOfSpam(organizationId, before)
    if (!isDone)
      violated(
        'an entry leaves the outbox when its work is done',
        `${named}: ${JSON.stringify(run ?? before)}`,
      )
  }
  /** Whether so much work is due that the queue is told of no more. */
  const isBacklogged = ({ organizationId }: HomeChange): boolean => {
    const now = toInstant(nowMs() + errorMs)
    const due = stored
      .rowsOf(organizationId, 'outbox')
      .filter((row) => row.status === 'pending' && textOf(row.next_attempt_at) <= now)
    return due.length > ANNOUNCED_MAX
  }
  const lastAnswer = (outboxId: string) => {
    const [email, sms] = [watch.email.lastAnswer(outboxId), watch.sms.lastAnswer(outboxId)]
    return (sms?.atMs ?? -1) > (email?.atMs ?? -1) ? sms?.result : email?.result
  }
  return (changes) => {
    const isSaving = changes.some(({ table, before }) => table === 'form_submissions' && before === null)
    for (const change of changes.filter(isAtHome)) {
      if (change.table === 'forms' && change.after?.is_published === 0)
        unpublished.add(textOf(change.after.form_id))
      if (change.table !== 'outbox') continue
      if (change.before === null) {
        if (change.after?.kind === 'notification_digest') begins(change.after)
        if (!isSaving || isBacklogged(change)) unannounced.add(textOf(change.after?.outbox_id))
        continue
      }
      const { before, after, columns } = change
      const named = textOf(before.outbox_id)
      if (after !== null && columns.includes('payload')) {
        gathers(change, named)
        continue
      }
      const token = textOf(after?.lease_token)
      const isPending = after?.status === 'pending'
      if (after === null) done(change, named, changes)
      else if (!isPending && columns.includes('status')) failed(change, named)
      else if (after.lease_token === null) retried(change, named)
      else if (isPending && token !== '' && columns.includes('lease_token')) claimed(change, named)
      else if (isPending && token !== '' && isRenewal(columns, after)) checkLease(after, named)
      else if (isPending && token === '' && textOf(before.lease_token) !== '') putOff(change, named)
      else
        violated(
          'an entry is claimed, put off, done, failed or retried',
          `${columns.join()} of ${JSON.stringify(before)}: ${JSON.stringify(after)}`,
        )
    }
  }
}

/** The form of a notification. */
function formOf(entry: Row | null): string {
  const { formId } = JSON.parse(textOf(entry?.payload)) as { readonly formId?: unknown }
  return textOf(formId)
}

/** Whether only the lease goes on. With a step, also the waiting for its message ends. */
function isRenewal(columns: readonly string[], after: Row): boolean {
  return columns.every(
    (column) => column === 'next_attempt_at' || (column === 'waiting_since' && after.waiting_since === null),
  )
}

const HOPELESS = /^Step \d+: (?:The contact has no (?:email address|phone number)|There is no static list)/

/**
 * Whether another attempt at a run does not help: a step needs something that its contact does not have, or its message
 * has waited for too long.
 */
export function isHopeless(reason: string): boolean {
  return HOPELESS.test(reason) || WAITED.test(reason)
}

import { isDeepStrictEqual } from 'node:util'
import { Webhook } from 'standardwebhooks'
import type { Row } from '../engine/changes.ts'
import type { HookSecrets, Reference } from '../reference.ts'
import type { HookCall, Receivers } from '../service/receivers.ts'
import { markOf, organizationIds } from '../setting.ts'
import type { Verdicts } from './verdicts.ts'
import type { Versions } from './versions.ts'
import { isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

/** What the manual says: after each attempt but the last there is a pause, in ms. */
export const HOOK_PAUSES_MS = [
  5_000,
  300_000,
  1_800_000,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600_000),
]
/** The longest pause that a webhook may ask for, in ms. */
export const HOOK_ASKED_MAX_MS = 24 * 3_600_000

/** How long before a call the worker may have read what it is about, in ms: it reads four times, each for 10 s. */
const READ_MS = 60_000
/** How late what an operator asked for may be stored, in ms, and by how much clocks differ. */
const LATE_MS = 200_000

/** An event of which a webhook is to be told, under one id for ever. */
interface Event {
  readonly organizationId: string
  readonly webhookId: string
  readonly event: string
  readonly subjectId: string
  readonly at: string
  /** When it was written, in ms, and the instant of the row that it tells of. */
  readonly bornMs: number
  readonly rowAt: string
}

/** A webhook as it was from some time on. */
interface State {
  readonly sinceMs: number
  readonly url: string
  readonly isOn: boolean
}

export interface Deliveries {
  readonly check: ChangeCheck
  /** Whether an entry may leave the outbox; its row before. */
  mayLeave(organizationId: string, entry: Row): boolean
  /** Checks, at rest, that every event reached its webhook. */
  checkAtRest(isStuck: (organizationId: string) => boolean): void
}

interface DeliveryWatch extends Watch {
  readonly receivers: Receivers
  readonly verdicts: Verdicts
  readonly versions: Versions
  readonly reference: Reference
}

/** The tables of the rows of which events tell, with what names a row there. */
const TOLD: Readonly<Record<string, string>> = { submission: 'form_submissions', contact: 'contacts' }
/** Fields that are taken from other rows. */
const JOINED: ReadonlySet<string> = new Set(['formName'])

/**
 * Checks what webhooks are told, by what receivers get: that each event of a webhook that is on is written with what it
 * tells of, and reaches it; and that a call is of a webhook of that organization, under one id, signed, and has a row as
 * it was when it was read.
 */
export function createDeliveries(watch: DeliveryWatch): Deliveries {
  const { stored, nowMs, violated, happened, receivers, verdicts, versions, reference, faults } = watch
  const events = new Map<string, Event>()
  const states = new Map<string, State[]>()
  const gone = new Map<string, number>()
  /** Until when a row was as it was at an instant, by its table, its id and that instant. */
  const replacedMs = new Map<string, number>()
  const attempts = new Map<string, number>()
  const again = new Map<string, number>()

  /** The states in which a webhook was since a time. */
  const since = (webhookId: string, fromMs: number): readonly State[] => {
    const all = states.get(webhookId) ?? []
    const first = all.findLastIndex(({ sinceMs }) => sinceMs <= fromMs)
    return all.slice(Math.max(0, first))
  }
  const followWebhook = ({ before, after, columns }: HomeChange): void => {
    const id = textOf((after ?? before)?.webhook_id)
    if (after === null) {
      gone.set(id, nowMs())
      if (!reference.hooks.get(id)?.isDeleteAsked) violated('no webhook is lost', id)
      return
    }
    if (before !== null && !columns.includes('url') && !columns.includes('is_on')) return
    if (columns.includes('is_on') && after.off_reason === 'gone')
      happened('a webhook that is gone is switched off')
    const state = { sinceMs: nowMs(), url: textOf(after.url), isOn: after.is_on === 1 }
    states.set(id, [...(states.get(id) ?? []), state])
  }
  /** The events of a batch, as far as webhooks ask for them: those that must be, and those that may be. */
  const eventsIn = (changes: readonly HomeChange[], followed: readonly HomeChange[]) => {
    const told = (organizationId: string, event: string, subjectId: string, formId: string | null) =>
      stored
        .rowsOf(organizationId, 'webhooks')
        .filter(
          (row) => row.is_on === 1 && (JSON.parse(textOf(row.events)) as readonly string[]).includes(event),
        )
        .filter((row) => {
          const formIds =
            row.form_ids === null ? null : (JSON.parse(textOf(row.form_ids)) as readonly string[])
          return formId === null || formIds === null || formIds.includes(formId)
        })
        .map((row) => [organizationId, row.webhook_id, event, subjectId].join(' '))
    const isStep = changes.some(({ table, before }) => table === 'automation_runs' && before !== null)
    const contacts = changes.filter(
      ({ table, columns }) =>
        table === 'contacts' && columns.includes('updated_at') && (followed.length > 0 || isStep),
    )
    const must = [
      ...followed.flatMap(({ organizationId, after }) =>
        told(organizationId, 'submission.created', textOf(after?.submission_id), textOf(after?.form_id)),
      ),
      ...contacts.flatMap(({ organizationId, before, after }) =>
        told(
          organizationId,
          before === null ? 'contact.created' : 'contact.updated',
          textOf(after?.contact_id),
          null,
        ),
      ),
    ]
    // Of two that are released together, each may tell of their contact.
    const may =
      followed.length < 2
        ? []
        : contacts.flatMap(({ organizationId, after }) =>
            told(organizationId, 'contact.updated', textOf(after?.contact_id), null),
          )
    return { must, may }
  }
  const born = (change: HomeChange): string | null => {
    const { organizationId, after } = change
    const id = textOf(after?.outbox_id)
    const { webhookId, event, subjectId, at } = JSON.parse(textOf(after?.payload)) as Readonly<
      Record<string, string>
    >
    const of = {
      organizationId,
      webhookId: webhookId ?? '',
      event: event ?? '',
      subjectId: subjectId ?? '',
      at: at ?? '',
    }
    const known = events.get(id)
    if (known !== undefined) {
      const isSame = Object.entries(of).every(([key, value]) => known[key as keyof Event] === value)
      if (!isSame) violated('an event is told again as it was', `${id}: ${JSON.stringify(of)}`)
      again.set(id, (again.get(id) ?? 0) + 1)
      happened('a delivery is sent again')
      return null
    }
    const table = TOLD[of.event.split('.')[0] ?? '']
    const row = table === undefined ? undefined : stored.rowOf(organizationId, table, of.subjectId)
    events.set(id, { ...of, bornMs: nowMs(), rowAt: textOf(row?.updated_at) })
    return of.event === 'test' ? null : [organizationId, webhookId, event, subjectId].join(' ')
  }
  const checkCall = (call: HookCall): void => {
    const known = events.get(call.id)
    const named = `${call.url} ${call.id} ${call.body}`
    if (known === undefined) {
      // The organization that comes and goes has its own checks.
      if (!call.url.includes('passing')) violated('an event is told under one id', named)
      return
    }
    const { organizationId, webhookId, event } = known
    const reads = since(webhookId, call.beganMs - READ_MS)
    const goneMs = gone.get(webhookId) ?? Infinity
    if (!reads.some(({ url }) => url === call.url)) violated('only a webhook is told, where it is', named)
    if (call.beganMs > goneMs + READ_MS) violated('a webhook that was deleted is told nothing', named)
    if (event !== 'test' && !reads.some(({ isOn }) => isOn))
      violated('a webhook that is off is told nothing', named)
    const foreign = organizationIds.find((id) => id !== organizationId && call.body.includes(markOf(id)))
    if (foreign !== undefined || !call.url.includes(`//${organizationId}-`))
      violated('no tenant is told of another', named)
    checkBody(known, call, named)
    checkSignature(reference.hooks.get(webhookId), call, named)
    if (receivers.callsOf(call.id) > 1) happened('a webhook is told again')
  }
  const checkBody = (
    { organizationId, event, subjectId, at, rowAt }: Event,
    call: HookCall,
    named: string,
  ): void => {
    const body = JSON.parse(call.body) as { type: string; timestamp: string; data: Row }
    if (body.type !== event || body.timestamp !== at) violated('a webhook is told what happened', named)
    if (event === 'test') return
    const [resource = ''] = event.split('.')
    const table = TOLD[resource] ?? ''
    if (body.data[`${resource}Id`] !== subjectId) violated('a webhook is told what happened', named)
    const updatedAt = textOf(body.data.updatedAt)
    const version = versions.publishedAt(organizationId, table, subjectId, updatedAt)
    const own = Object.fromEntries(Object.entries(body.data).filter(([field]) => !JOINED.has(field)))
    const pastMs = replacedMs.get([organizationId, table, subjectId, updatedAt].join(' ')) ?? Infinity
    const isLate = pastMs < call.beganMs - READ_MS
    if (!isDeepStrictEqual(own, version) || updatedAt < rowAt || isLate)
      violated(
        'a webhook is told a row as it is stored',
        `${named}: ${JSON.stringify(version)}, since ${rowAt}${isLate ? ', long replaced' : ''}`,
      )
    if (resource === 'submission' && !verdicts.hasFollowed(organizationId, subjectId))
      violated('no webhook is told of spam', named)
    happened('a webhook is told of a row')
  }
  const checkSignature = (secrets: HookSecrets | undefined, call: HookCall, named: string): void => {
    const timestamp = Number(call.headers.get('webhook-timestamp')) * 1000
    if (Math.abs(timestamp - call.atMs) > READ_MS)
      violated('a call says when it was made', `${named}: ${timestamp}`)
    const { newest = null, previous = null } = secrets ?? {}
    if (newest === null) return
    const given = (call.headers.get('webhook-signature') ?? '').split(' ')
    const isBy = (secret: string) =>
      given.includes(new Webhook(secret).sign(call.id, new Date(timestamp), call.body))
    const isSettled = call.beganMs > newest.atMs + READ_MS
    const { secret: before, untilMs } = previous ?? { secret: null, untilMs: 0 }
    const byBefore = before !== null && isBy(before)
    const mayBeOther = !isSettled && (before === null || byBefore)
    if (!isBy(newest.secret) && !mayBeOther) violated('a call is signed with a valid secret', named)
    if (isSettled && before !== null && !byBefore && call.atMs < untilMs - LATE_MS)
      violated('the secret before signs besides for a day', named)
    if (byBefore && call.beganMs > untilMs + LATE_MS) violated('a secret that has ended signs nothing', named)
    if (byBefore) happened('two secrets sign')
    happened('a call of a webhook is verified')
  }
  receivers.whenCalled(checkCall)

  const follow = (change: HomeChange): void => {
    const { table, organizationId, before, after, columns } = change
    if (table === 'webhooks') followWebhook(change)
    if (table === 'outbox' && before !== null && after?.kind === 'webhook_delivery') {
      const id = textOf(after.outbox_id)
      attempts.set(id, Math.max(attempts.get(id) ?? 0, Number(after.attempts)))
      if (columns.includes('attempts') && after.attempts === 0) again.set(id, (again.get(id) ?? 0) + 1)
    }
    if (
      before !== null &&
      columns.includes('updated_at') &&
      (table === 'contacts' || table === 'form_submissions')
    ) {
      const id = before[table === 'contacts' ? 'contact_id' : 'submission_id']
      replacedMs.set([organizationId, table, id, before.updated_at].join(' '), nowMs())
    }
    if (
      table === 'webhook_deliveries' &&
      after === null &&
      Date.parse(textOf(before?.expires_at)) > nowMs() + LATE_MS
    )
      if (stored.rowOf(organizationId, 'webhooks', before?.webhook_id) !== undefined)
        violated('what a webhook answered is kept for a month', JSON.stringify(before))
  }
  /** Whether a webhook was off or gone at some time since then. */
  const wasOff = (webhookId: string, fromMs: number): boolean =>
    gone.has(webhookId) || since(webhookId, fromMs).some(({ isOn }) => !isOn)
  return {
    check(changes) {
      const home = changes.filter(isAtHome)
      for (const change of home) follow(change)
      const isNew = ({ table, before, after }: HomeChange) =>
        table === 'outbox' && before === null && after?.kind === 'webhook_delivery'
      const found = home.filter(isNew).flatMap((change) => born(change) ?? [])
      const isTelling = home.some(({ table }) => table === 'contacts' || table === 'form_submissions')
      if (found.length === 0 && !isTelling) return
      const { must, may } = eventsIn(home, verdicts.followedIn(changes))
      const missing = must.find((event) => !found.includes(event))
      const other = found.find((event) => !must.includes(event) && !may.includes(event))
      if (missing !== undefined) violated('each event of a webhook is written with what it tells of', missing)
      if (other !== undefined || (may.length === 0 && found.length > must.length))
        violated('a webhook is told of events alone', other ?? found.join(', '))
    },
    mayLeave(organizationId, entry) {
      const id = textOf(entry.outbox_id)
      const { webhookId = '', event = '' } = events.get(id) ?? {}
      const isOn = stored.rowOf(organizationId, 'webhooks', webhookId)?.is_on === 1
      if (textOf(entry.lease_token) === '') return !states.has(webhookId) || gone.has(webhookId)
      const status = receivers.lastAnswer(id)?.status ?? null
      const isTaken = status !== null && status >= 200 && status < 300
      const isGivenUp = Number(entry.attempts) > HOOK_PAUSES_MS.length || status === 410
      if (isGivenUp && !isTaken) happened('a delivery is given up')
      if (!isOn && !isTaken && event !== 'test') happened('a delivery is dropped because its webhook is off')
      return isTaken || isGivenUp || !isOn || wasOff(webhookId, nowMs() - 2 * READ_MS)
    },
    checkAtRest(isStuck) {
      for (const [id, { organizationId, webhookId, bornMs }] of events) {
        if (isStuck(organizationId)) continue
        const isExcused =
          wasOff(webhookId, bornMs) ||
          (attempts.get(id) ?? 0) > HOOK_PAUSES_MS.length ||
          receivers.hasTaken(id)
        if (!isExcused) violated('each event reaches its webhook', `${id} of ${organizationId}`)
        const most = 1 + (again.get(id) ?? 0)
        if (faults.isCalm && receivers.callsOf(id) > most)
          violated('nobody is told twice', `${id} of ${organizationId}: ${receivers.callsOf(id)} times`)
      }
    },
  }
}

import * as v from 'valibot'
import { relayed } from '../../ports/relayed.ts'
import type {
  DeliveryAttempt,
  TenantWebhooks,
  Webhook,
  WebhookAnswer,
  WebhookEvent,
} from '../../ports/outbox.ts'
import { readChunks } from '../limits/body.ts'
import { pauseAfter } from '../limits/waiting.ts'
import { selection, serializer } from '../record/resource.ts'
import { concatenated, utf8Length } from '../text/encoding.ts'
import { retryAfterMs } from '../text/http.ts'
import { toInstant } from '../text/instant.ts'
import { webhookUrlProblem, TEST_EVENT } from '../webhooks/webhook.ts'
import { openSecret, sealSecret, signedHeaders } from '../webhooks/signature.ts'
import { offAlert } from './alert.ts'
import { inTime, malformedEntry, WEBHOOK_BACKOFF, type Job, type Verdict } from './work.ts'

const Payload = v.object({
  webhookId: v.string(),
  event: v.string(),
  subjectId: v.string(),
  at: v.string(),
})

/** How long a webhook may take to answer, in ms. */
const ANSWER_TIMEOUT_MS = 10_000
/** The maximum length of what it is told, in bytes. */
const BODY_MAX_BYTES = 262_144
/** How much of its answer is kept, in bytes. */
const ANSWER_KEPT_BYTES = 1_024
/** The longest pause that it may ask for, in ms. */
const ASKED_PAUSE_MAX_MS = 24 * 3_600_000

/**
 * Tells a webhook of an event: what the public API answers for the row now. Whatever the webhook answers, the entry
 * leaves the outbox after its last attempt; the delivery keeps what became of it, and can be sent again.
 */
export async function tellWebhook(job: Job): Promise<Verdict> {
  const { entry } = job
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  const { organizationId } = entry.organization
  const event: WebhookEvent = { deliveryId: entry.outboxId, ...payload.output }
  const webhook = await webhooksOf(job).find(event.webhookId)
  if (webhook === null) return { kind: 'done', sends: [] }
  if (!webhook.isOn && event.event !== TEST_EVENT) {
    // Whoever switched it off may have died before the alert was written. It is written and sent once all the same.
    const { offReason: reason } = webhook
    if (reason === null) return dropped(event)
    return { ...dropped(event), alert: offAlert(webhook, reason, toInstant(job.world.clock.nowMs())) }
  }
  const data = await dataOf(event, organizationId, job)
  if (data === null) return dropped(event)
  return verdictOf(webhook, { ...event, ...data.of }, await call(webhook, event, data.text, job), job)
}

/** What a webhook is told, as JSON, and of which row that is. */
interface Data {
  readonly text: string
  readonly of: Pick<DeliveryAttempt, 'told'>
}

function webhooksOf({ entry, world }: Job): TenantWebhooks {
  const opened = world.hooks.webhooks(entry.organization.organizationId)
  return relayed<TenantWebhooks>((ask) => inTime(ask(opened), world))
}

function dropped(event: WebhookEvent): Extract<Verdict, { readonly kind: 'done' }> {
  return { kind: 'done', sends: [], delivery: { ...event, status: 'dropped', answer: null } }
}

/** What a webhook is told; null: what it would be told of is gone. */
async function dataOf(event: WebhookEvent, organizationId: string, { world }: Job): Promise<Data | null> {
  const { subjectId } = event
  const idAlone = (named: object): Data => ({ text: JSON.stringify(named), of: {} })
  if (event.event === TEST_EVENT) return idAlone({ webhookId: `${organizationId}:${event.webhookId}` })
  const resource = world.hooks.resourceOf(event.event)
  if (resource === undefined) return null
  const named = idAlone({ [resource.idField]: subjectId })
  if (event.event.endsWith('.removed')) return named
  const { collection } = resource
  const found = world.hooks.tenant(organizationId).findMany(collection, selection(resource), [subjectId])
  const [row] = await inTime(found, world)
  if (row === undefined) return null
  await resource.prepare?.()
  const text = JSON.stringify(serializer(resource)(row))
  if (utf8Length(bodyOf(event, text)) > BODY_MAX_BYTES) return named
  return { text, of: { told: { collection, updatedAt: String(row.updatedAt) } } }
}

function bodyOf({ event: type, at: timestamp }: WebhookEvent, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(timestamp)},"data":${data}}`
}

interface Called {
  readonly answer: WebhookAnswer
  /** How long the webhook asked to wait, in ms. */
  readonly retryAfterMs: number
}

/** Calls a webhook once. Whatever happens is an answer. */
async function call(webhook: Webhook, event: WebhookEvent, data: string, job: Job): Promise<Called> {
  const { clock, deadline, hooks } = job.world
  const atMs = clock.nowMs()
  const at = toInstant(atMs)
  const unsent = (reason: string): Called => ({
    answer: { at, status: null, durationMs: 0, text: '', reason },
    retryAfterMs: 0,
  })
  const problem = webhookUrlProblem(webhook.url, hooks.isLocal)
  if (problem !== null) return unsent(`The URL ${problem}.`)
  const secrets = await secretsOf(webhook, job)
  if (secrets.length === 0) return unsent('It has no secret that this service can read. Rotate it.')
  const body = bodyOf(event, data)
  const headers = await signedHeaders({ id: event.deliveryId, atMs, body }, secrets)
  const signal = deadline.after(ANSWER_TIMEOUT_MS)
  const tookMs = () => Math.max(0, clock.nowMs() - atMs)
  try {
    const response = await hooks.fetch(webhook.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'tenant-data-webhooks/1' },
      body,
      redirect: 'manual',
      signal,
    })
    const text = response.body === null ? '' : await textOf(response.body, signal)
    const { status, ok } = response
    const reason = ok ? null : `It answered ${status}.`
    return {
      answer: { at, status, durationMs: tookMs(), text, reason },
      retryAfterMs: ok ? 0 : (retryAfterMs(response.headers.get('retry-after'), clock.nowMs()) ?? 0),
    }
  } catch {
    // The platform's words may name the address, and say no more than this.
    const reason = signal.aborted ? 'It did not answer in time.' : 'It could not be reached.'
    return { answer: { at, status: null, durationMs: tookMs(), text: '', reason }, retryAfterMs: 0 }
  }
}

/** The beginning of an answer. Its status alone says whether it is a success, so a body that breaks off is no failure. */
async function textOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = []
  await readChunks(body, ANSWER_KEPT_BYTES, signal, (chunk) => chunks.push(chunk))
  // Nobody waits for the rest. Some of it may be read still, and then this fails.
  body.cancel().catch(() => undefined)
  return new TextDecoder().decode(concatenated(chunks).subarray(0, ANSWER_KEPT_BYTES))
}

/** The secrets that sign a webhook's messages now. One that is encrypted under the previous root secret moves to the current one. */
async function secretsOf(webhook: Webhook, job: Job): Promise<readonly string[]> {
  const { entry, world } = job
  const { webhookId, secret, previousSecret, previousUntil } = webhook
  const isBoth = previousUntil !== null && toInstant(world.clock.nowMs()) < previousUntil
  const stored = [secret, isBoth ? previousSecret : null].filter((one) => one !== null)
  const { organizationId } = entry.organization
  const secrets = await world.hooks.secrets()
  const opened = await Promise.all(
    stored.map(async (text) => {
      const found = await openSecret(text, { organizationId, webhookId }, secrets)
      if (found?.isCurrent === false) {
        const sealed = await sealSecret(found.secret, { organizationId, webhookId }, secrets, world.random)
        await webhooksOf(job).replaceSecret(webhookId, text, sealed)
      }
      return found
    }),
  )
  return opened.flatMap((found) => (found === null ? [] : [found.secret]))
}

async function verdictOf(
  webhook: Webhook,
  event: WebhookEvent & Pick<DeliveryAttempt, 'told'>,
  { answer, retryAfterMs: askedMs }: Called,
  job: Job,
): Promise<Verdict> {
  const { entry, world } = job
  const { reason } = answer
  if (reason === null) return { kind: 'done', sends: [], delivery: { ...event, status: 'delivered', answer } }
  const failed = { kind: 'done', sends: [], delivery: { ...event, status: 'failed', answer } } as const
  const nowMs = world.clock.nowMs()
  if (answer.status === 410) {
    const { webhookId } = webhook
    const { organizationId } = entry.organization
    if (await webhooksOf(job).switchOff(webhookId, 'gone'))
      world.log.error('webhook_switched_off', { organizationId, webhookId, reason: 'gone' })
    return { ...failed, alert: offAlert(webhook, 'gone', toInstant(nowMs)) }
  }
  const pauseMs = pauseAfter(WEBHOOK_BACKOFF, entry.attempts)
  if (pauseMs === null) return failed
  const at = toInstant(nowMs + Math.max(pauseMs, Math.min(askedMs, ASKED_PAUSE_MAX_MS)))
  return { kind: 'again', reason, at, delivery: { ...event, status: 'waiting', answer } }
}

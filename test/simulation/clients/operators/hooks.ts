import { textOf } from '../../invariants/watch.ts'
import type { Answer } from '../../service/processes/network.ts'
import { openFormOf } from '../../setting.ts'
import { bodyOf, type Client } from '../client.ts'

/** How many webhooks an organization has at most. */
const HOOKS_MAX = 3
/** How long a call may still do something whose answer was lost, in ms. */
const LATE_MS = 3_600_000
const OVERLAP_MS = 86_400_000
/** The longest rest, in ms. */
const REST_MAX_MS = 60_000

const EVENTS = {
  submissions: ['submission.created'],
  contacts: ['contact.created', 'contact.updated', 'contact.removed'],
  all: ['submission.created', 'contact.created', 'contact.updated', 'contact.removed'],
} as const
const SETS = ['all', 'submissions', 'contacts', 'all'] as const

/** A webhook as its operator knows it, and until when a rotation whose answer was lost may still be made, in ms. */
interface Hook {
  /** The public id. */
  readonly webhookId: string
  isOn: boolean
  lateUntilMs: number
}

interface Keeping {
  readonly organizationId: string
  readonly client: Client
  readonly hooks: Hook[]
  /** Counts the URLs, so that each webhook is known by its own. */
  urls: number
}

/** One that is listed several times is chosen more often. */
const ACTIONS = [
  ...(['create', 'create', 'switch', 'switch', 'switch'] as const),
  ...(['update', 'rotate', 'rotate', 'delete', 'resend', 'resend', 'test'] as const),
] as const
type Action = (hook: Hook, keeping: Keeping) => Promise<void>
const actions: Readonly<Record<Exclude<(typeof ACTIONS)[number], 'create'>, Action>> = {
  switch: (hook, { client, ...of }) =>
    update(hook, { isOn: !hook.isOn || client.decide.chance('leaves it on', 40) }, { client, ...of }),
  update: change,
  rotate,
  delete: remove,
  resend,
  test,
}

/** An operator who has other systems told of what happens in one organization. */
export async function keepHooks(organizationId: string, client: Client): Promise<void> {
  const keeping: Keeping = { organizationId, client, hooks: [], urls: 0 }
  while (!client.isOver()) {
    const does = keeping.hooks.length === 0 ? 'create' : client.decide.pick('does', ACTIONS)
    const hook = keeping.hooks[client.decide.below('webhook', Math.max(1, keeping.hooks.length))]
    if (does === 'create' || hook === undefined) await create(keeping)
    else await actions[does](hook, keeping)
    await client.pause(client.decide.delayMs('rests', REST_MAX_MS))
  }
}

/** The part of an answer that is looked at. */
interface Shown {
  readonly webhookId: string
  readonly isOn: boolean
  readonly secret: string
}

const ownId = (webhookId: string): string => webhookId.split(':')[1] ?? ''

function post(
  action: string,
  path: string,
  body: object,
  { organizationId, client }: Keeping,
): Promise<Answer | null> {
  return client.change(
    { action: `webhook.${action}`, organizationId },
    { method: 'POST', path: `/operator/v1${path}`, body: JSON.stringify(body) },
  )
}

/** Whether an answer is one of those that are expected; null, and a failure: nothing is known. */
function isDone(
  what: string,
  answer: Answer | null,
  wanted: readonly number[],
  { client }: Keeping,
): answer is Answer {
  if (answer === null || answer.status >= 500) return false
  if (!wanted.includes(answer.status))
    client.violated(`a webhook can be ${what}`, `${answer.status} ${answer.text}`)
  return answer.status < 300
}

function urlOf(keeping: Keeping): string {
  return `https://${keeping.organizationId}-${(keeping.urls += 1)}.receiver.example/hooks`
}

async function create(keeping: Keeping): Promise<void> {
  const { organizationId, client, hooks } = keeping
  if (hooks.length >= HOOKS_MAX) return
  const settings = {
    url: urlOf(keeping),
    events: EVENTS[client.decide.pick('events', SETS)],
    formIds: client.decide.chance('of one form', 20) ? [openFormOf(organizationId)] : null,
    isOn: !client.decide.chance('is off at first', 10),
  }
  const answer = await post('create', `/organizations/${organizationId}/webhooks`, settings, keeping)
  if (!isDone('made', answer, [201], keeping)) {
    await lookAgain(keeping)
    return
  }
  const { webhookId, secret } = bodyOf(answer) as Shown
  hooks.push({ webhookId, isOn: settings.isOn, lateUntilMs: 0 })
  const newest = { secret, atMs: client.nowMs() }
  client.reference.hooks.set(ownId(webhookId), { newest, previous: null, isDeleteAsked: false })
  client.happened('a webhook is made')
}

/** After an answer was lost, looks which webhooks there are. Of those that it did not know, it knows no secret. */
async function lookAgain({ organizationId, client, hooks }: Keeping): Promise<void> {
  const path = `/operator/v1/organizations/${organizationId}/webhooks`
  const answer = await client.send({ method: 'GET', path, key: client.operatorKey })
  if (answer?.status !== 200) return
  const { data } = bodyOf(answer) as { readonly data: readonly Shown[] }
  if (answer.text.includes('whsec_')) client.violated('a secret is shown once', answer.text)
  const known = new Map(hooks.map((hook) => [hook.webhookId, hook]))
  hooks.length = 0
  for (const { webhookId, isOn } of data) {
    hooks.push({ webhookId, lateUntilMs: client.nowMs() + LATE_MS, ...known.get(webhookId), isOn })
    const { reference } = client
    if (!reference.hooks.has(ownId(webhookId)))
      reference.hooks.set(ownId(webhookId), { newest: null, previous: null, isDeleteAsked: false })
  }
}

async function update(hook: Hook, settings: object, keeping: Keeping): Promise<void> {
  const { organizationId, client } = keeping
  const isAlone = client.nowMs() > hook.lateUntilMs
  const answer = await post('update', `/webhooks/${hook.webhookId}`, settings, keeping)
  if (!isDone('changed', answer, [200, 404], keeping)) {
    hook.lateUntilMs = client.nowMs() + LATE_MS
    await lookAgain(keeping)
    return
  }
  hook.isOn = (bodyOf(answer) as Shown).isOn
  client.happened('a webhook is changed')
  const row = client.stored.rowOf(organizationId, 'webhooks', ownId(hook.webhookId))
  const stored = {
    url: row?.url,
    isOn: row?.is_on === 1,
    events: JSON.parse(textOf(row?.events) || '[]') as unknown,
  }
  const wrong = Object.entries(settings).some(
    ([key, value]) => JSON.stringify(stored[key as keyof typeof stored]) !== JSON.stringify(value),
  )
  // A receiver may have been gone meanwhile.
  if (wrong && isAlone && row?.off_reason === null)
    client.violated('a webhook is as it was changed', `${JSON.stringify(settings)}: ${JSON.stringify(row)}`)
}

async function change(hook: Hook, keeping: Keeping): Promise<void> {
  const { decide } = keeping.client
  const settings = decide.chance('moves', 50)
    ? { url: urlOf(keeping) }
    : { events: EVENTS[decide.pick('events', SETS)] }
  await update(hook, settings, keeping)
}

async function rotate(hook: Hook, keeping: Keeping): Promise<void> {
  const { client } = keeping
  const known = client.reference.hooks.get(ownId(hook.webhookId))
  if (known === undefined) return
  const { newest } = known
  // From now on it may be signed with a secret that is not known.
  Object.assign(known, { newest: null, previous: null })
  const answer = await post('rotate', `/webhooks/${hook.webhookId}/rotate`, {}, keeping)
  if (!isDone('rotated', answer, [200, 404], keeping)) {
    hook.lateUntilMs = client.nowMs() + LATE_MS
    return
  }
  client.happened('a webhook has another secret')
  if (client.nowMs() < hook.lateUntilMs) return
  const { secret } = bodyOf(answer) as Shown
  const atMs = client.nowMs()
  known.newest = { secret, atMs }
  known.previous = newest === null ? null : { secret: newest.secret, untilMs: atMs + OVERLAP_MS }
}

async function remove(hook: Hook, keeping: Keeping): Promise<void> {
  const { client, hooks, organizationId } = keeping
  const id = ownId(hook.webhookId)
  const known = client.reference.hooks.get(id)
  if (known === undefined || !client.decide.chance('really', 50)) return
  known.isDeleteAsked = true
  const answer = await post('delete', `/webhooks/${hook.webhookId}/delete`, {}, keeping)
  if (answer === null || answer.status >= 500) return
  isDone('deleted', answer, [200, 404], keeping)
  hooks.splice(hooks.indexOf(hook), 1)
  const left = client.stored.rowsOf(organizationId, 'outbox').find((row) => textOf(row.payload).includes(id))
  if (left !== undefined || client.stored.rowOf(organizationId, 'webhooks', id) !== undefined)
    client.violated(
      'a webhook that was deleted is gone with what it was to be told',
      JSON.stringify(left ?? id),
    )
  client.happened('a webhook is deleted')
}

interface Listed {
  readonly deliveryId: string
  readonly status: string
}

/** Has it told again: everything since the beginning, or one delivery. */
async function resend(hook: Hook, keeping: Keeping): Promise<void> {
  const { client } = keeping
  const { decide } = client
  if (decide.chance('all of it', 30)) {
    const answer = await post(
      'resend',
      `/webhooks/${hook.webhookId}/resend`,
      { since: '2026-01-01' },
      keeping,
    )
    isDone('told again', answer, [202, 404, 409], keeping)
    return
  }
  const path = `/operator/v1/webhooks/${hook.webhookId}/deliveries?limit=20`
  const listed = await client.send({ method: 'GET', path, key: client.operatorKey })
  if (listed?.status !== 200) return
  const { data } = bodyOf(listed) as { readonly data: readonly Listed[] }
  const delivery = data[decide.below('delivery', Math.max(1, data.length))]
  if (delivery === undefined) return
  const answer = await post('resend', `/webhook-deliveries/${delivery.deliveryId}/resend`, {}, keeping)
  isDone('told again', answer, [202, 404, 409], keeping)
}

async function test(hook: Hook, keeping: Keeping): Promise<void> {
  isDone('tried', await post('test', `/webhooks/${hook.webhookId}/test`, {}, keeping), [202, 404], keeping)
}

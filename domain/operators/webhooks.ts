import * as v from 'valibot'
import type { Webhook } from '../../ports/outbox.ts'
import { echoed } from '../limits/limits.ts'
import { many, mark, ofOrganization, sets, text } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE, type Reply } from '../record/reply.ts'
import { webhookEvents } from '../resources/index.ts'
import { forms } from '../resources/forms.ts'
import { randomBase62 } from '../text/encoding.ts'
import { toInstant } from '../text/instant.ts'
import { shownJson } from '../text/terminal.ts'
import {
  webhookUrlProblem,
  URL_MAX_LENGTH,
  DESCRIPTION_MAX_LENGTH,
  FORMS_MAX,
  WEBHOOKS_MAX,
  TEST_EVENT,
  namedBy,
  publicId,
} from '../webhooks/webhook.ts'
import { drawSecret, sealSecret } from '../webhooks/signature.ts'
import { type Belonging, operated, instant, jsonBody } from './serve.ts'
import { changeAsRead, stateReply } from './change.ts'
import { pageOf, pageParameters, pageResponse, servePage } from './list.ts'
import type { OperatorWorld } from './world.ts'

const ids = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  v.minLength(1, 'must not be empty'),
  v.maxLength(FORMS_MAX, `must be at most ${FORMS_MAX} forms`),
)

/** The events that a webhook may list. */
const namedEvents = [...webhookEvents, TEST_EVENT]

const settings = {
  url: worded(
    described(
      v.pipe(v.string(), v.maxLength(URL_MAX_LENGTH)),
      'Where it is called: an https URL of a server on the internet, without a port, a user or a fragment.',
    ),
    { label: 'Address', hint: 'An https URL of a server on the internet, without a port.' },
  ),
  events: worded(
    described(
      v.pipe(v.array(v.picklist(namedEvents)), v.minLength(1, 'must not be empty'), v.maxLength(50)),
      'What it is told of. `test` comes whenever somebody tries the webhook, listed or not.',
    ),
    // A test comes whatever is chosen, so people have no such choice.
    {
      label: 'Told of',
      choices: Object.fromEntries(webhookEvents.map((event) => [event, event])),
      initial: webhookEvents.join(' '),
      whenEmpty: 'Choose at least one event.',
    },
  ),
  formIds: worded(
    described(
      v.nullable(ids),
      'Of submissions only those of these forms; null: of all. Contacts are of no form.',
    ),
    {
      label: 'Only of these forms',
      hint: 'Their ids, with spaces between. Empty: submissions of all forms.',
    },
  ),
  description: described(v.pipe(v.string(), v.maxLength(DESCRIPTION_MAX_LENGTH)), 'For people.'),
  isOn: worded(described(v.boolean(), 'Whether it is told of anything. A test reaches it in any case.'), {
    label: 'On',
  }),
}

const Published = v.strictObject({
  webhookId: described(v.string(), 'Names the webhook: its organization, a colon and its own id.'),
  organizationId: v.string(),
  ...settings,
  events: worded(described(v.array(v.string()), 'What it is told of.'), { label: 'Told of' }),
  offReason: worded(
    described(
      v.nullable(v.picklist(['gone', 'failing'])),
      'Why the service switched it off: it answered 410 (`gone`), or nothing succeeded for five days (`failing`). Null: it is on, or somebody switched it off.',
    ),
    { label: 'Switched off because' },
  ),
  failingSince: described(
    v.nullable(instant),
    'When it failed for the first time since it last succeeded; null: it has not failed since.',
  ),
  hasSecret: described(
    v.boolean(),
    'Whether it has a secret. One that was restored from an archive has none until it is rotated.',
  ),
  previousUntil: described(
    v.nullable(instant),
    'Until when the secret before signs besides; null: there is none.',
  ),
  createdAt: instant,
})
type Published = v.InferOutput<typeof Published>

const WebhookBody = component('Webhook', described(Published, 'Another system that is told of events.'))

const secret = described(v.string(), 'What signs its deliveries. It is shown this once.')
const WithSecret = component(
  'WebhookWithSecret',
  described(v.strictObject({ ...Published.entries, secret }), 'A webhook with its new secret.'),
)

const sample: Published = {
  webhookId: 'acme:wh_2Zk8QwVt7LhXn4Rm',
  organizationId: 'acme',
  url: 'https://crm.example.com/hooks/acme',
  events: ['submission.created'],
  formIds: null,
  description: 'CRM',
  isOn: true,
  offReason: null,
  failingSince: null,
  hasSecret: true,
  previousUntil: null,
  createdAt: '2026-05-19T17:45:12.000Z',
}
const sampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='

function published(organizationId: string, webhook: Webhook): Published {
  const { previousSecret: _previous, version: _version, ...rest } = webhook
  const { webhookId, secret: sealed, events, formIds, ...shown } = rest
  return {
    ...shown,
    webhookId: publicId(organizationId, webhookId),
    organizationId,
    events: [...events],
    formIds: formIds === null ? null : [...formIds],
    hasSecret: sealed !== null,
  }
}

const PATH = '/operator/v1/organizations/{organizationId}/webhooks'
export const ONE = '/operator/v1/webhooks/{webhookId}'
/** Webhooks are the affair of operators, and of the owners of their organization. */
export const common = { tag: 'Webhooks', openTo: 'owner' } as const
const changing = { ...common, method: 'POST', access: 'admin' } as const

/** The id of a webhook, or of a delivery, says to whom it belongs. */
export function belongingBy(name: 'webhookId' | 'deliveryId', otherwise: (text: string) => Reply): Belonging {
  return {
    organizationOf: async ({ params }) => namedBy(params[name] ?? '')?.organizationId ?? null,
    otherwise: ({ params }) => otherwise(params[name] ?? ''),
  }
}
export const ofWebhook = belongingBy('webhookId', (text) => unknownWebhook(text))
const changingOne = { ...changing, belonging: ofWebhook } as const

const off = sets('isOn', mark('optional', false))
const settingFlags = {
  event: sets('events', { ...many('EVENT'), choices: namedEvents }),
  form: sets('formIds', many('FORMID')),
  description: sets('description', text('TEXT')),
}
const EVENTS_SAID = `EVENT is ${webhookEvents.join(', ')} or ${TEST_EVENT}, which comes listed or not; several may be given.`

const WEBHOOK_ID_LENGTH = 16
/** How many webhooks of an archive get new secrets: more than an organization can make. */
const RESTORED_MAX = 100
/** For how long the secret before a rotation signs besides, in ms. */
const OVERLAP_MS = 86_400_000

export const createWebhook = operated({
  id: 'webhooks.create',
  path: PATH,
  ...changing,
  action: 'webhook.create',
  needsOrganization: true,
  summary: 'Tell another system of events',
  description: `The answer is the only one that shows the secret. An organization has at most ${WEBHOOKS_MAX} webhooks.`,
  body: jsonBody(
    v.strictObject({
      url: settings.url,
      events: v.optional(settings.events, () => [...webhookEvents]),
      formIds: v.optional(settings.formIds, null),
      description: v.optional(settings.description, ''),
      isOn: v.optional(settings.isOn, true),
    }),
    { url: sample.url, events: ['submission.created'] },
    65_536,
  ),
  responses: {
    201: jsonResponse('It is there.', WithSecret, { ...sample, secret: sampleSecret }),
    409: 'Conflict',
  },
  commands: [
    {
      words: ['webhook', 'create'],
      positionals: ['URL'],
      argument: 'url',
      flags: { org: ofOrganization(), ...settingFlags, off },
      summary: 'Tell another system of events, and print what signs them',
      details: [
        `${EVENTS_SAID} Left out: all. --form: of`,
        'submissions only those of this form. URL is an https URL; on a local start http://localhost with any port from',
        '1024 on works too. The secret (whsec_…) is shown this once. --off: it waits for "webhook update ID --on".',
      ],
      examples: ['https://crm.example.com/hooks --org lakeside --event submission.created --form contact'],
      says: (created) => ({
        out: [created.secret],
        notes: [`Created ${created.webhookId}. Its secret is shown this once.`],
      }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, body, change }, world) => {
    const problem = await settingProblem(organizationId, body, world)
    if (problem !== null) return errorReply(400, problem)
    const { random, clock } = world
    const id = `wh_${randomBase62(WEBHOOK_ID_LENGTH, (length) => random.bytes(length))}`
    await change.announce({ type: 'webhook', id: publicId(organizationId, id) })
    const shown = drawSecret(random)
    const sealed = await sealSecret(shown, { organizationId, webhookId: id }, world.secrets, random)
    const store = world.webhooks(organizationId)
    const made = { ...body, webhookId: id, secret: sealed, createdAt: toInstant(clock.nowMs()) }
    if (!(await store.create(made, WEBHOOKS_MAX)))
      return errorReply(409, `${organizationId} has ${WEBHOOKS_MAX} webhooks already. Delete one before.`)
    const stored = await store.find(id)
    if (stored === null) return errorReply(409, 'It was deleted meanwhile.')
    return jsonReply(201, { ...published(organizationId, stored), secret: shown }, PRIVATE)
  },
})

/**
 * Gives the webhooks of an organization that was restored new secrets, and returns them: nothing else shows them. One that
 * has a secret keeps it, because an earlier call gave it. That answer may have been lost, so the webhook is named, unless
 * somebody has rotated it or switched it on since.
 */
export async function giveSecrets(
  organizationId: string,
  { webhooks, secrets, random, clock }: OperatorWorld,
) {
  const store = webhooks(organizationId)
  const all = await store.list(null, RESTORED_MAX)
  const given = all.map(async ({ webhookId, url, version, ...before }) => {
    const id = publicId(organizationId, webhookId)
    if (before.secret !== null) return before.isOn || before.previousSecret !== null ? [] : [id]
    const secret = drawSecret(random)
    const sealed = await sealSecret(secret, { organizationId, webhookId }, secrets, random)
    const outcome = await store.rotate(webhookId, sealed, toInstant(clock.nowMs()), version)
    return [outcome === 'done' ? { webhookId: id, url, secret } : id]
  })
  const found = (await Promise.all(given)).flat()
  const webhookSecrets = found.filter((one) => typeof one !== 'string')
  const webhooksGivenBefore = found.filter((one) => typeof one === 'string')
  return {
    ...(webhookSecrets.length === 0 ? {} : { webhookSecrets }),
    ...(webhooksGivenBefore.length === 0 ? {} : { webhooksGivenBefore }),
  }
}

/** What is wrong with settings, as a sentence; null: nothing. */
async function settingProblem(
  organizationId: string,
  { url, formIds, description = '' }: Partial<Pick<Webhook, 'url' | 'formIds' | 'description'>>,
  world: OperatorWorld,
): Promise<string | null> {
  const problem = url === undefined ? null : webhookUrlProblem(url, world.isLocal)
  if (problem !== null) return `url: ${problem}.`
  if (/\p{Cc}/u.test(description)) return 'description: must not contain control characters.'
  if (formIds == null) return null
  const found = await world.tenant(organizationId).findMany(forms.collection, ['formId'], formIds)
  const known = new Set(found.map(({ formId }) => formId))
  const unknown = formIds.find((id) => !known.has(id))
  return unknown === undefined ? null : `formIds: ${organizationId} has no form ${echoed(unknown)}.`
}

export const listWebhooks = operated({
  id: 'webhooks.list',
  path: PATH,
  method: 'GET',
  ...common,
  access: 'support',
  needsOrganization: true,
  summary: 'List the webhooks of an organization',
  query: pageParameters,
  responses: {
    200: pageResponse('A page of webhooks.', pageOf('WebhookPage', WebhookBody), sample),
  },
  commands: [
    {
      words: ['webhook', 'list'],
      flags: { org: ofOrganization() },
      summary: 'List whom an organization tells of events',
      details: ['The state is on, off, gone (it answered 410) or failing (nothing succeeded for five days).'],
      examples: ['--org lakeside'],
      columns: [
        { head: 'webhook', of: ({ webhookId }) => webhookId },
        { head: 'state', of: ({ isOn, offReason }) => (isOn ? 'on' : (offReason ?? 'off')) },
        { head: 'failing since', of: ({ failingSince }) => failingSince },
        { head: 'url', of: ({ url }) => url },
        { head: 'events', of: ({ events }) => events.join(','), mayBeCut: true },
        { head: 'description', of: ({ description }) => description, mayBeCut: true },
      ],
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) =>
    servePage(query, world, {
      scope: { endpointId: operation.id, organizationId },
      read: (after, limit) => world.webhooks(organizationId).list(after?.id ?? null, limit),
      positionOf: ({ webhookId }) => ({ value: null, id: webhookId }),
      publish: (webhook) => published(organizationId, webhook),
    }),
})

/** A webhook that a request names, with the store of its organization. */
export async function findWebhook(text: string, world: OperatorWorld) {
  const named = namedBy(text)
  const organization =
    named === null ? null : await world.administration.findOrganization(named.organizationId)
  if (named === null || organization === null) return null
  const store = world.webhooks(named.organizationId)
  return { ...named, store, read: () => store.find(named.id) }
}

export function unknownWebhook(text: string) {
  return errorReply(404, `There is no webhook ${echoed(text)}.`)
}

export const showWebhook = operated({
  id: 'webhooks.show',
  path: ONE,
  belonging: ofWebhook,
  method: 'GET',
  ...common,
  access: 'support',
  versioned: { except: ['failingSince'] },
  summary: 'Show a webhook',
  description: 'Never with its secret.',
  responses: { 200: jsonResponse('The webhook.', WebhookBody, sample), 404: 'NotFound' },
  commands: [
    {
      words: ['webhook', 'show'],
      positionals: ['ID'],
      summary: 'Print a webhook, as JSON',
      details: ['ID is what "webhook list" shows first.'],
      examples: ['lakeside:wh_2Zk8QwVt7LhXn4Rm'],
      says: (body) => ({ out: [shownJson(body, 2)] }),
    },
  ],
  answer: async ({ operation, params: { webhookId = '' } }, world) => {
    const found = await findWebhook(webhookId, world)
    const webhook = (await found?.read()) ?? null
    if (found === null || webhook === null) return unknownWebhook(webhookId)
    const body = published(found.organizationId, webhook)
    return stateReply(operation, 200, body, body)
  },
})

export const NO_SECRET =
  'It was restored from an archive and has no secret. Rotate it, and tell the receiver the new one, before it is switched on.'

export const updateWebhook = operated({
  id: 'webhooks.update',
  path: ONE,
  ...changingOne,
  action: 'webhook.update',
  versioned: { of: showWebhook },
  summary: 'Change a webhook',
  description: 'What is left out stays as it is.',
  body: jsonBody(
    v.strictObject({
      url: v.exactOptional(settings.url),
      events: v.exactOptional(settings.events),
      formIds: v.exactOptional(settings.formIds),
      description: v.exactOptional(settings.description),
      isOn: v.exactOptional(settings.isOn),
    }),
    { isOn: false },
    65_536,
  ),
  responses: {
    200: jsonResponse('It is changed.', WebhookBody, { ...sample, isOn: false }),
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['webhook', 'update'],
      positionals: ['ID'],
      flags: {
        'url-to': sets('url', text('URL')),
        ...settingFlags,
        'all-forms': sets('formIds', mark('optional', null)),
        on: sets('isOn', mark()),
        off,
      },
      summary: 'Change a webhook, or switch it on or off',
      details: [
        `${EVENTS_SAID} They`,
        'replace those that are there, and so do forms. What is told while it is off is not sent later.',
      ],
      examples: [
        'lakeside:wh_2Zk8QwVt7LhXn4Rm --on',
        'lakeside:wh_2Zk8QwVt7LhXn4Rm --url-to https://crm.example.com/new',
      ],
      problem: (values) => {
        if (values.on === true && values.off === true) return '--on and --off contradict each other'
        if (values['all-forms'] === true && values.form !== undefined)
          return '--form and --all-forms contradict each other'
        return Object.keys(values).some((name) => updateFlags.includes(name))
          ? null
          : `one of --${updateFlags.join(', --')} is needed`
      },
      says: ({ webhookId, isOn, url }) => ({ notes: [`${webhookId} is ${isOn ? 'on' : 'off'}: ${url}`] }),
    },
  ],
  answer: async ({ operation, params: { webhookId = '' }, body, change, precondition }, world) => {
    const found = await findWebhook(webhookId, world)
    if (found === null) return unknownWebhook(webhookId)
    const { organizationId, id, store, read } = found
    const problem = await settingProblem(organizationId, body, world)
    if (problem !== null) return errorReply(400, problem)
    await change.announce({ type: 'webhook', id: webhookId, changed: Object.keys(body) }, organizationId)
    const updating = await changeAsRead(operation, precondition, {
      read,
      shown: (webhook) => (webhook === null ? null : published(organizationId, webhook)),
      write: async (webhook, isConditional) => {
        if (webhook === null) return 'missing'
        if (body.isOn === true && webhook.secret === null) return 'secretless'
        const outcome = await store.update(id, body, isConditional ? webhook.version : null)
        return outcome === 'changed' ? 'overtaken' : outcome
      },
    })
    if ('refusal' in updating) return updating.refusal
    if (updating.outcome === 'secretless') return errorReply(409, NO_SECRET)
    const webhook = await read()
    if (updating.outcome === 'missing' || webhook === null) return unknownWebhook(webhookId)
    const shown = published(organizationId, webhook)
    return stateReply(operation, 200, shown, shown)
  },
})

const updateFlags = ['url-to', ...Object.keys(settingFlags), 'all-forms', 'on', 'off']

export const rotateWebhook = operated({
  id: 'webhooks.rotate',
  path: `${ONE}/rotate`,
  ...changingOne,
  action: 'webhook.rotate',
  versioned: { of: showWebhook },
  summary: 'Give a webhook another secret',
  description: 'The answer is the only one that shows it. The present one signs besides for a day.',
  responses: {
    200: jsonResponse('It has another secret.', WithSecret, {
      ...sample,
      previousUntil: '2026-05-20T17:45:12.000Z',
      secret: sampleSecret,
    }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['webhook', 'rotate'],
      positionals: ['ID'],
      summary: 'Give a webhook another secret and print it; both sign for a day',
      examples: ['lakeside:wh_2Zk8QwVt7LhXn4Rm'],
      says: ({ secret: shown, webhookId, previousUntil }) => ({
        out: [shown],
        notes: [
          `${webhookId} has another secret, which is shown this once.${previousUntil === null ? '' : ` The one before signs besides until ${previousUntil}.`}`,
        ],
      }),
    },
  ],
  answer: async ({ operation, params: { webhookId = '' }, change, precondition }, world) => {
    const found = await findWebhook(webhookId, world)
    if (found === null) return unknownWebhook(webhookId)
    const { organizationId, id, store, read } = found
    await change.announce({ type: 'webhook', id: webhookId }, organizationId)
    const shown = drawSecret(world.random)
    const sealed = await sealSecret(shown, { organizationId, webhookId: id }, world.secrets, world.random)
    const until = toInstant(world.clock.nowMs() + OVERLAP_MS)
    const rotating = await changeAsRead(operation, precondition, {
      read,
      shown: (webhook) => (webhook === null ? null : published(organizationId, webhook)),
      write: async (webhook, isConditional) => {
        if (webhook === null) return 'missing'
        const outcome = await store.rotate(id, sealed, until, isConditional ? webhook.version : null)
        return outcome === 'changed' ? 'overtaken' : outcome
      },
    })
    if ('refusal' in rotating) return rotating.refusal
    const webhook = await read()
    if (rotating.outcome === 'missing' || webhook === null) return unknownWebhook(webhookId)
    const state = published(organizationId, webhook)
    return stateReply(operation, 200, { ...state, secret: shown }, state)
  },
})

export const deleteWebhook = operated({
  id: 'webhooks.delete',
  path: `${ONE}/delete`,
  ...changingOne,
  action: 'webhook.delete',
  summary: 'Delete a webhook',
  description: 'What was still to be told to it is dropped.',
  responses: {
    200: jsonResponse('It is deleted.', v.strictObject({ webhookId: Published.entries.webhookId }), {
      webhookId: sample.webhookId,
    }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['webhook', 'delete'],
      positionals: ['ID'],
      summary: 'Delete a webhook, and drop what was still to be told to it',
      examples: ['lakeside:wh_2Zk8QwVt7LhXn4Rm'],
      says: ({ webhookId }) => ({ notes: [`Deleted ${webhookId}.`] }),
    },
  ],
  answer: async ({ params: { webhookId = '' }, change }, world) => {
    const found = await findWebhook(webhookId, world)
    if (found === null) return unknownWebhook(webhookId)
    await change.announce({ type: 'webhook', id: webhookId }, found.organizationId)
    const isThere = await found.store.remove(found.id)
    return isThere ? jsonReply(200, { webhookId }, PRIVATE) : unknownWebhook(webhookId)
  },
})

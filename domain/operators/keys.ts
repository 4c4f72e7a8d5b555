import * as v from 'valibot'
import { KEY_PREFIXES } from '../access/keys.ts'
import { issuerOf, operatorRoles, type Operator } from '../access/operator-credentials.ts'
import { mark, ofOrganization, sets, text } from '../record/command.ts'
import { component, described, worded } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import { toInstant } from '../text/instant.ts'
import { jsonBody, instant, type Belonging, operated } from './serve.ts'
import type { Change } from './change.ts'
import { pageOf, pageParameters, pageResponse, servePage, type AskedPage } from './list.ts'
import type { OperatorWorld } from './world.ts'
import {
  issueCheckedKey,
  ExpiresAt,
  keyFlags,
  KeySettings,
  Overlap,
  overlapFlag,
  rotateKey,
  IssuedKeyBody,
  PublishedKey,
  publishedKey,
  SAMPLE_KEY_END,
  sampleIssued,
  sampleKey,
  unknownKey,
  type KeyIssuing,
} from './key-settings.ts'
import { issuedOperatorKey, issuerColumn, listedOperatorKeys, stateColumns } from './operator-keys.ts'

const settings = jsonBody(KeySettings, { label: 'nightly sync', scope: 'read', ratePerMinute: 600 })

const page = pageOf('KeyPage', PublishedKey)

const ISSUING = 'The answer is the only one that shows the key. What is left out leaves the key unlimited.'

const LISTING = 'Oldest first, those included that do not work any more.'

const samplePlatformKey = { ...sampleKey, kind: 'platform', organizationId: null, scope: 'send' } as const

const sampleIssuedToPlatform = {
  ...samplePlatformKey,
  key: KEY_PREFIXES.platform + SAMPLE_KEY_END,
}

const ofTenant = { path: '/operator/v1/organizations/{organizationId}/keys', tag: 'Keys' } as const

const ofPlatform = { path: '/operator/v1/platform-keys', tag: 'Keys' } as const

export const issuePlatformKey = operated({
  id: 'platformKeys.issue',
  ...ofPlatform,
  method: 'POST',
  access: 'admin',
  action: 'key.issue',
  summary: 'Issue a key of the platform',
  description: `The two sends alone accept it. ${ISSUING}`,
  body: settings,
  responses: {
    201: jsonResponse('The key.', IssuedKeyBody, sampleIssuedToPlatform),
    409: 'Conflict',
  },
  answer: async ({ body, change }, world, operator) => {
    return issued(null, body, issuingBy(operator, change, world), world)
  },
})

export const issueTenantKey = operated({
  id: 'keys.issue',
  ...ofTenant,
  method: 'POST',
  access: 'admin',
  openTo: 'owner',
  action: 'key.issue',
  needsOrganization: true,
  summary: 'Issue a key of an organization',
  description: ISSUING,
  body: settings,
  responses: {
    201: jsonResponse('The key.', IssuedKeyBody, sampleIssued),
    409: 'Conflict',
  },
  commands: [
    {
      words: ['key', 'issue'],
      flags: {
        org: ofOrganization('either'),
        platform: mark('either'),
        operator: sets('operator', text('NAME', 'either')),
        role: sets('role', text(operatorRoles.join('|'))),
        ...keyFlags,
      },
      summary: 'Issue a key and print it, alone, on standard output',
      details: [
        'The key is shown this once: only its hash is stored. --org: a key of an organization. --platform: a legacy key of',
        'the platform, which is accepted by the two sends only. --scope says what the key may be used for (default all),',
        '--expires from when it no longer works, --rate how many requests a minute it may send. Without them it has no end',
        'and no rate.',
        '--operator: a key for the operator commands, in the name of a person or program. --role admin may do everything,',
        'support may read and retry the outbox. It ends with the key that issues it, or with --expires before. The first one',
        'needs no key: set ROOT_SECRET to that of the service, which is not sent.',
      ],
      examples: [
        '--org lakeside --label "Nightly sync" --scope read --expires 2030-01-31',
        '--operator ada --role admin',
      ],
      instead: { platform: { operation: issuePlatformKey }, operator: issuedOperatorKey },
      problem: (values) => {
        if (values.operator === undefined)
          return values.role === undefined ? null : '--role is for keys of operators: --operator NAME'
        const foreign = ['label', 'scope', 'rate'].find((flag) => values[flag] !== undefined)
        if (foreign !== undefined) return `--${foreign} is for keys of organizations and of the platform`
        return values.role === undefined ? `--role must be ${operatorRoles.join(' or ')}` : null
      },
      says: ({ key }) => ({ out: [key] }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, body, change }, world, operator) => {
    return issued(organizationId, body, issuingBy(operator, change, world), world)
  },
})

export const listPlatformKeys = operated({
  id: 'platformKeys.list',
  ...ofPlatform,
  method: 'GET',
  access: 'support',
  summary: 'List the keys of the platform',
  description: LISTING,
  query: pageParameters,
  responses: {
    200: pageResponse('A page of keys.', page, samplePlatformKey),
  },
  answer: async ({ operation, query }, world) => {
    return listed(operation.id, null, query, world)
  },
})

export const listTenantKeys = operated({
  id: 'keys.list',
  ...ofTenant,
  method: 'GET',
  access: 'support',
  openTo: 'owner',
  needsOrganization: true,
  summary: 'List the keys of an organization',
  description: LISTING,
  query: pageParameters,
  responses: { 200: pageResponse('A page of keys.', page, sampleKey) },
  commands: [
    {
      words: ['key', 'list'],
      flags: { org: ofOrganization('either'), platform: mark('either'), operators: mark('either') },
      summary: 'List keys with their state, age, scope, end, last use, rate, label and issuer',
      details: [
        'The state is active, revoked or expired; the last use is an hour; the rate, requests a minute. A dash stands for',
        'none. The root secret under which a key is hashed is current, previous, or the name of another one. The issuer is',
        'the id of an operator key; root for whoever held the root secret; unknown for a key from before that was recorded.',
        '--operators lists operator keys: the same columns up to the root secret, then role, end, last use, issuer and',
        'operator.',
      ],
      examples: ['--org lakeside', '--platform', '--operators --json'],
      instead: { platform: { operation: listPlatformKeys }, operators: listedOperatorKeys },
      columns: [
        ...stateColumns,
        { head: 'scope', of: ({ scope }) => scope },
        { head: 'ends at', of: ({ expiresAt }) => expiresAt },
        { head: 'last used', of: ({ lastUsedAt }) => lastUsedAt },
        { head: 'rate', of: ({ ratePerMinute }) => ratePerMinute },
        { head: 'label', of: ({ label }) => label, mayBeCut: true },
        issuerColumn,
      ],
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    return listed(operation.id, organizationId, query, world)
  },
})

/** A key belongs to its organization; of one of the platform, or of others, there is nothing to see. */
const ofKey: Belonging = {
  organizationOf: async ({ params: { keyId = '' } }, { administration }) =>
    (await administration.findKey(keyId))?.organizationId ?? null,
  otherwise: ({ params: { keyId = '' } }) => unknownKey(keyId),
}

export const revokeKey = operated({
  id: 'keys.revoke',
  method: 'POST',
  path: '/operator/v1/keys/{keyId}/revoke',
  access: 'admin',
  openTo: 'owner',
  belonging: ofKey,
  action: 'key.revoke',
  tag: 'Keys',
  summary: 'Revoke a key',
  description:
    'A key of an organization or of the platform. It fails on its very next request. Revoking it again changes nothing.',
  responses: { 204: { description: 'It is revoked.' }, 404: 'NotFound' },
  answer: async ({ params: { keyId = '' }, change }, { administration, clock }) => {
    const found = await administration.findKey(keyId)
    if (found === null) return unknownKey(keyId)
    const changes = change.about(found.organizationId, { type: 'key', id: keyId })
    await changes.revokeKey(keyId, toInstant(clock.nowMs()))
    return { status: 204, headers: PRIVATE, body: null } as const
  },
})

const OVERLAP =
  'For how long the key works beside its successor: minutes (`30m`), hours (`12h`) or days (`7d`).'

const Rotation = v.strictObject({
  overlap: worded(described(Overlap, OVERLAP), { hint: OVERLAP, initial: '7d' }),
  expiresAt: v.exactOptional(described(ExpiresAt, 'The end of the successor; left out: that of the key.')),
})

const RotatedKey = component(
  'RotatedKey',
  described(
    v.strictObject({
      ...IssuedKeyBody.entries,
      replacedKeyId: described(v.string(), 'The key that was replaced.'),
      replacedEndsAt: described(instant, 'When that one ends by itself.'),
    }),
    'The successor of a key.',
  ),
)

export const rotateKeyEndpoint = operated({
  id: 'keys.rotate',
  method: 'POST',
  path: '/operator/v1/keys/{keyId}/rotate',
  access: 'admin',
  openTo: 'owner',
  belonging: ofKey,
  action: 'key.rotate',
  tag: 'Keys',
  summary: 'Issue the successor of a key',
  description:
    'The successor has the label, scope, rate and end of the key, which ends by itself after the overlap. A key has one successor at most.',
  body: jsonBody(Rotation, { overlap: '7d' }),
  responses: {
    201: jsonResponse('The successor.', RotatedKey, {
      ...sampleIssued,
      replacedKeyId: '8LwR1yZpAq0d',
      replacedEndsAt: '2026-03-08T14:00:00.000Z',
    }),
    404: 'NotFound',
    409: 'Conflict',
  },
  commands: [
    {
      words: ['key', 'rotate'],
      positionals: ['KEYID'],
      flags: { overlap: overlapFlag, expires: keyFlags.expires },
      summary: 'Issue the successor of a key and print it; the old key ends by itself after the overlap',
      details: [
        'The successor has the label, scope, rate and end of the old key; --expires gives it another end. Until the overlap,',
        'a number of minutes (m), hours (h) or days (d), is over, both work. A key has one successor at most.',
      ],
      examples: ['7hX2kQ9vLm4TzRwN --overlap 7d'],
      says: ({ key, keyId, replacedKeyId, replacedEndsAt }) => ({
        out: [key],
        notes: [`${replacedKeyId} ends at ${replacedEndsAt}. Its successor is ${keyId}.`],
      }),
    },
  ],
  answer: async ({ params: { keyId = '' }, body, change }, world, operator) => {
    const { overlap: overlapMs, ...end } = body
    const outcome = await rotateKey({ keyId, overlapMs, ...end }, issuingBy(operator, change, world))
    if ('refusal' in outcome) return outcome.refusal
    const { key, stored, endsAt } = outcome
    const replacement = { replacedKeyId: keyId, replacedEndsAt: endsAt }
    return jsonReply(201, { key, ...publishedKey(stored, world), ...replacement }, PRIVATE)
  },
})

async function issued(
  organizationId: string | null,
  settings: KeySettings,
  issuing: KeyIssuing,
  world: OperatorWorld,
) {
  const outcome = await issueCheckedKey(organizationId, settings, issuing)
  if ('refusal' in outcome) return outcome.refusal
  return jsonReply(201, { key: outcome.key, ...publishedKey(outcome.stored, world) }, PRIVATE)
}

function listed(endpointId: string, organizationId: string | null, query: AskedPage, world: OperatorWorld) {
  return servePage(query, world, {
    scope: { endpointId, organizationId },
    read: (after, limit) => world.administration.listKeys(organizationId, after, limit),
    positionOf: ({ createdAt, keyId }) => ({ value: createdAt, id: keyId }),
    publish: (stored) => publishedKey(stored, world),
  })
}

/** A key store that reads directly, and writes through the change that records what was done. */
function issuingBy(
  operator: Operator,
  change: Change,
  { administration, secrets, random, clock }: OperatorWorld,
): KeyIssuing {
  const keys: KeyIssuing['keys'] = {
    findKey: (keyId) => administration.findKey(keyId),
    addKey: (key) => change.about(key.organizationId, { type: 'key', id: key.keyId }).addKey(key),
    rotateKey: (rotation) => {
      const { organizationId, keyId: successorId } = rotation.successor
      const subject = { type: 'key', id: rotation.keyId, successorId } as const
      return change.about(organizationId, subject).rotateKey(rotation)
    },
  }
  return { keys, secrets, random, clock, issuedBy: issuerOf(operator) }
}

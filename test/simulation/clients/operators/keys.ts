import type { KnownKey } from '../../reference.ts'
import { organizationIds } from '../../setting.ts'
import { bodyOf, type Client } from '../client.ts'

const RETRY_MAX_MS = 20_000
const KEYS_MAX = 8
/** How long a key works on after it was replaced. One that expires itself is replaced with an overlap beyond its end. */
const OVERLAP = { short: { text: '1m', ms: 60_000 }, long: { text: '1h', ms: 3_600_000 } } as const

/** The settings with which keys are issued. A key without settings is unlimited. */
const SETTINGS = ['none', 'none', 'read', 'send', 'rate', 'expiry', 'expiry'] as const

interface Issued {
  readonly key: string
  readonly keyId: string
  readonly expiresAt: string | null
  readonly scope: KnownKey['scope']
  readonly ratePerMinute: number | null
}

const actions = { issues: issueKey, revokes: revokeKey, replaces: rotateKey } as const

/** An operator who issues, revokes and replaces keys of all organizations, in whatever state they are. */
export async function keepKeys(client: Client): Promise<void> {
  while (!client.isOver()) {
    const organizationId = client.decide.pick('organization', organizationIds)
    await actions[client.decide.pick('does', ['issues', 'revokes', 'replaces'])](organizationId, client)
    await client.rest()
  }
}

/** Issues a key with some settings. */
async function issueKey(organizationId: string, client: Client): Promise<void> {
  const { decide } = client
  if (keysOf(organizationId, client).filter(({ state }) => state === 'works').length >= KEYS_MAX) return
  const path = `/operator/v1/organizations/${organizationId}/keys`
  const expiresAt = new Date(client.nowMs() + 20_000 + decide.delayMs('expiry', 600_000)).toISOString()
  const settings = {
    none: {},
    read: { scope: 'read' },
    send: { scope: 'send' },
    rate: { ratePerMinute: 3 },
    expiry: { expiresAt },
  }[decide.pick('settings of a key', SETTINGS)]
  const answer = await client.change(
    { action: 'key.issue', organizationId },
    { method: 'POST', path, body: JSON.stringify(settings) },
  )
  if (answer?.status === 201) remember(bodyOf(answer) as Issued, organizationId, client)
}

function remember(issued: Issued, organizationId: string, { reference }: Client): void {
  const { key: text, keyId, expiresAt, scope, ratePerMinute } = issued
  const endsAtMs = expiresAt === null ? Infinity : Date.parse(expiresAt)
  reference.keys.push({ organizationId, keyId, text, state: 'works', endsAtMs, scope, ratePerMinute })
}

function keysOf(organizationId: string, { reference }: Client): readonly KnownKey[] {
  return reference.keys.filter((key) => key.organizationId === organizationId)
}

/** A key in any state, working, ending or ended, but not the last one with which the other clients work. */
function anyKey(organizationId: string, client: Client): KnownKey | undefined {
  const keys = keysOf(organizationId, client)
  const ending = keys.filter((each) => each.state !== 'works' || client.hasEnded(each))
  const chosen = ending.length > 0 && client.decide.chance('key that ends or has ended', 50) ? ending : keys
  const key = chosen[client.decide.below('key', chosen.length)]
  const isUsed = key !== undefined && client.reference.isUsable(key, 'all')
  const others = keys.filter((other) => other !== key && client.reference.isUsable(other, 'all'))
  return isUsed && others.length === 0 ? undefined : key
}

/** Revokes a key, and repeats that until an answer confirms it. Sometimes it is then revoked again. */
async function revokeKey(organizationId: string, client: Client): Promise<void> {
  const key = anyKey(organizationId, client)
  if (key === undefined) return
  client.happened(HOW_IT_WAS[stateOf(key, client)])
  if (key.state === 'works') key.state = 'ending'
  const request = { method: 'POST', path: `/operator/v1/keys/${key.keyId}/revoke` } as const
  for (let tries = 1; ; tries += 1) {
    const answer = await client.change({ action: 'key.revoke', organizationId }, request)
    if (answer !== null && answer.status !== 204 && answer.status < 500)
      client.violated('a key that was issued can be revoked', `${key.keyId}: ${answer.status} ${answer.text}`)
    if (answer?.status === 204) break
    if (tries === 1) client.happened('a key is revoked again after an answer was lost')
    await client.pause(client.decide.delayMs('waits', RETRY_MAX_MS))
  }
  key.state = 'revoked'
}

type Moment = 'works' | 'is replaced' | 'has expired' | 'is revoked'

const HOW_IT_WAS = {
  works: 'a key is revoked that works',
  'is replaced': 'a key is revoked that was replaced',
  'has expired': 'a key is revoked that has expired',
  'is revoked': 'a key is revoked that was revoked',
} as const satisfies Record<Moment, string>

function stateOf(key: KnownKey, client: Client): Moment {
  if (key.state === 'revoked') return 'is revoked'
  if (client.hasEnded(key)) return 'has expired'
  return key.state === 'ending' ? 'is replaced' : 'works'
}

/** Any key, or often one that works until it expires. */
function keyToReplace(organizationId: string, client: Client): KnownKey | undefined {
  const expiring = keysOf(organizationId, client).filter(
    ({ state, endsAtMs }) => state === 'works' && endsAtMs !== Infinity && endsAtMs > client.nowMs(),
  )
  return expiring.length > 0 && client.decide.chance('key that expires', 50)
    ? expiring[client.decide.below('expiring key', expiring.length)]
    : anyKey(organizationId, client)
}

/** Rotates a key. When no answer arrives, the old key is no longer used, and the new one is unknown. */
async function rotateKey(organizationId: string, client: Client): Promise<void> {
  const key = keyToReplace(organizationId, client)
  if (key === undefined) return
  const wasWorking = key.state === 'works' && key.endsAtMs === Infinity
  const wasRevoked = key.state === 'revoked'
  if (key.state === 'works') key.state = 'ending'
  const path = `/operator/v1/keys/${key.keyId}/rotate`
  const overlap = key.endsAtMs === Infinity ? OVERLAP.short : OVERLAP.long
  const body = JSON.stringify({ overlap: overlap.text })
  const answer = await client.change({ action: 'key.rotate', organizationId }, { method: 'POST', path, body })
  if (answer?.status === 409) {
    if (wasWorking) client.violated('a key that works can be replaced', `${key.keyId}: ${answer.text}`)
    // It was replaced before, or has ended.
    key.endsAtMs = Math.min(key.endsAtMs, client.nowMs() + overlap.ms)
    client.happened('a key is not replaced that has ended')
  }
  if (answer?.status !== 201) return
  if (wasRevoked) client.violated('a key that was revoked is not replaced', key.keyId)
  const successor = bodyOf(answer) as Issued & { readonly replacedEndsAt: string }
  key.endsAtMs = Date.parse(successor.replacedEndsAt)
  remember(successor, organizationId, client)
  client.happened('a key is replaced')
}

import { crc32 } from '../../../domain/access/keys.ts'
import { toBase62, utf8 } from '../../../domain/text/encoding.ts'
import type { KnownKey } from '../reference.ts'
import type { ClientRequest } from '../service/processes/network.ts'
import { FORGED_SUBJECT, organizationIds } from '../setting.ts'
import { collections } from './reader.ts'
import type { Client } from './client.ts'

const CHECKSUM_LENGTH = 6
/** The id of a key, its secret and its checksum: the end of its text. */
const TAIL_LENGTH = 46
const KEY_ID_LENGTH = 12

const FORGERIES = [
  'ended',
  'ended',
  'ended',
  'wrong secret',
  'other organization',
  'other id',
  'mistyped',
] as const
type Forgery = (typeof FORGERIES)[number]

/** A client that tries keys which must not work: ended ones, and forged ones with something right about them. */
export async function intrude(client: Client): Promise<void> {
  while (!client.isOver()) {
    const what = client.decide.pick('tries', [...FORGERIES, 'out of scope', 'too often'])
    if (what === 'out of scope') await tryOutOfScope(client)
    else if (what === 'too often') await tryTooOften(client)
    else await tryForged(what, client)
    await client.rest()
  }
}

async function tryForged(forgery: Forgery, client: Client): Promise<void> {
  const { decide, reference } = client
  const known = reference.keys.filter((key) => forgery !== 'ended' || client.hasEnded(key))
  // The newest keys are tried more often, because their end is the most recent.
  const key = known.at(-1 - Math.min(decide.below('key', known.length), decide.below('or key', known.length)))
  if (key === undefined) return
  const other = organizationIds.find((id) => id !== key.organizationId) ?? ''
  const text = {
    ended: key.text,
    'wrong secret': signed(
      key.text.slice(0, -CHECKSUM_LENGTH - 1) + (key.text.at(-CHECKSUM_LENGTH - 1) === 'a' ? 'b' : 'a'),
    ),
    'other organization': signed(`ck_live_${other}_${key.text.slice(-TAIL_LENGTH, -CHECKSUM_LENGTH)}`),
    'other id': signed(withIdOf(key, reference.keys)),
    mistyped: `${key.text.slice(0, -1)}${key.text.endsWith('0') ? '1' : '0'}`,
  }[forgery]
  if (reference.keys.some((genuine) => genuine.text === text) && forgery !== 'ended') return
  const answer = await client.send({ ...requestOf(client), key: text })
  if (answer === null) return
  if (answer.status !== 401 && answer.status < 500)
    client.violated(
      'a key that has ended or was forged opens nothing',
      `${key.keyId} of ${key.organizationId}, ${forgery}: ${answer.status} ${answer.text}`,
    )
  if (answer.status === 401)
    client.happened(forgery === 'ended' ? 'a key that has ended is tried' : 'a forged key is tried')
}

/** A read of any collection, or a send. */
function requestOf({ decide }: Client): ClientRequest {
  if (decide.chance('sends with it', 20)) return SEND
  const index = decide.below('collection', collections.length)
  return { method: 'GET', path: `${collections[index]?.path ?? ''}?limit=1` }
}

const SEND: ClientRequest = {
  method: 'POST',
  path: '/api/v1/email',
  body: JSON.stringify({ to: 'forged@example.com', subject: FORGED_SUBJECT, html: '<p>Forged</p>' }),
}

/** The text with a checksum that fits. */
function signed(unchecked: string): string {
  return unchecked + toBase62(crc32(utf8(unchecked)), CHECKSUM_LENGTH)
}

/** The key with the id of another one. */
function withIdOf({ text, keyId }: KnownKey, keys: readonly KnownKey[]): string {
  const other = keys.find((each) => each.keyId !== keyId) ?? { keyId: '0'.repeat(KEY_ID_LENGTH) }
  return (
    text.slice(0, -TAIL_LENGTH) + other.keyId + text.slice(-TAIL_LENGTH + KEY_ID_LENGTH, -CHECKSUM_LENGTH)
  )
}

async function tryOutOfScope(client: Client): Promise<void> {
  const key = client.reference.keys.findLast(
    ({ scope, state, endsAtMs }) => scope !== 'all' && state === 'works' && endsAtMs === Infinity,
  )
  if (key === undefined) return
  const request: ClientRequest =
    key.scope === 'read' ? SEND : { method: 'GET', path: '/api/v1/contacts?limit=1' }
  const answer = await client.send({ ...request, key: key.text })
  if (answer === null || answer.status >= 500 || key.state !== 'works') return
  if (answer.status !== 401 || !answer.text.includes('scope'))
    client.violated(
      'a key opens what its scope names',
      `${key.keyId}, ${key.scope}: ${answer.status} ${answer.text}`,
    )
  client.happened('a key is tried beyond its scope')
}

const WINDOW_MS = 55_000

/** Uses a key once more than its rate allows, in one isolate. */
async function tryTooOften(client: Client): Promise<void> {
  const { reference, stored } = client
  const key = reference.keys.findLast(
    ({ ratePerMinute, state, endsAtMs }) =>
      ratePerMinute !== null && state === 'works' && endsAtMs === Infinity,
  )
  if (key?.ratePerMinute == null) return
  const home = stored.homeOf(key.organizationId)
  const send = client.toOneIsolate()
  const fromMs = client.nowMs()
  let isLimited = false
  for (let number = 0; number <= key.ratePerMinute; number += 1) {
    const answer = await send({ method: 'GET', path: '/api/v1/contacts?limit=1', key: key.text })
    if (answer === null || answer.status >= 500 || key.state !== 'works') return
    if (answer.status !== 200 && answer.status !== 429)
      client.violated('a good key reads', `${key.keyId}: ${answer.status} ${answer.text}`)
    isLimited ||= answer.status === 429
  }
  // An object that loses its memory forgets what it counted.
  const isForgetful = home !== 'shared' && client.objectsForget
  if (client.nowMs() - fromMs > WINDOW_MS || stored.homeOf(key.organizationId) !== home || isForgetful) return
  if (!isLimited) client.violated('a key is used at most at its rate', key.keyId)
  client.happened('a key is used beyond its rate')
}

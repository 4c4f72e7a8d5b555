import type { StoredKey } from '../../ports/administration.ts'
import { secretName } from '../../domain/access/secret-use.ts'
import { issueCheckedKey } from '../../domain/operators/issue-checked-key.ts'
import type { KeyIssuing } from '../../domain/operators/issue-checked-key.ts'
import { keyState } from '../../domain/operators/key-state.ts'
import { rotateKey } from '../../domain/operators/rotate-key.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { systemClock, systemRandom } from '../system.ts'
import type { Command } from './command.ts'
import type { Context } from './context.ts'
import { CommandError } from './errors.ts'
import { keySettingsOf, overlapMsOf, refusedFlag } from './key-flags.ts'
import { ownerOf, ownerOptions } from './owner.ts'

/** More than anybody looks through. */
const LISTED_MAX = 10_000

const text = { type: 'string' } as const

export const issue: Command = {
  words: ['key', 'issue'],
  synopsis: '--org ID | --platform [--label TEXT] [--scope read|send|all] [--expires ISO] [--rate N]',
  summary: 'Issue an API key and print it, alone, on standard output',
  details: [
    'The key is shown this once: only its hash is stored. --platform makes a legacy key of the operator, which is',
    'accepted by the two sends only. --scope says what the key may be used for (default all), --expires from when it no',
    'longer works, --rate how many requests a minute it may send. Without them it has no end and no rate.',
  ],
  options: { ...ownerOptions, label: text, scope: text, expires: text, rate: text },
  positionals: [],
  run: async (context, values) => {
    // Flags are judged before anything is opened.
    const settings = keySettingsOf(values)
    const owner = await ownerOf(context, values)
    const outcome = await issueCheckedKey(owner, settings, await issuingOf(context))
    if (outcome.kind === 'refused') throw refusedFlag(outcome)
    context.out(outcome.key)
  },
}

export const rotate: Command = {
  words: ['key', 'rotate'],
  synopsis: 'KEYID --overlap 7d [--expires ISO]',
  summary: 'Issue the successor of a key and print it; the old key ends by itself after the overlap',
  details: [
    'The successor has the label, scope, rate and end of the old key; --expires gives it another end. Until the overlap,',
    'a number of minutes (m), hours (h) or days (d), is over, both work. A key has one successor at most.',
  ],
  options: { overlap: text, expires: text },
  positionals: ['KEYID'],
  run: async (context, values, [keyId = '']) => {
    const overlapMs = overlapMsOf(values)
    const { expiresAt } = keySettingsOf(values)
    const request = { keyId, overlapMs, ...(expiresAt === undefined ? {} : { expiresAt }) }
    const outcome = await rotateKey(request, await issuingOf(context))
    if (outcome.kind === 'refused') throw refusedFlag(outcome)
    if (outcome.kind === 'not_rotated') throw new CommandError(outcome.reason)
    context.out(outcome.key)
    context.note(`${keyId} ends at ${outcome.endsAt}. Its successor is ${outcome.stored.keyId}.`)
  },
}

export const list: Command = {
  words: ['key', 'list'],
  synopsis: '--org ID | --platform',
  summary: 'List keys with their state, age, scope, end, last use, rate and label',
  details: [
    'The columns are: key id; active, revoked or expired; instant of issue; instant of revocation; root secret; scope;',
    'instant at which the key ends; hour of its last use; requests a minute; label. A dash stands for none. The root',
    'secret under which a key is hashed is current, previous, or the name of another one. With --remote and without',
    'ROOT_SECRET in the environment each one has its name.',
  ],
  options: ownerOptions,
  positionals: [],
  run: async (context, values) => {
    const owner = await ownerOf(context, values)
    const { administration } = await context.storage()
    const keys = await administration.listKeys(owner, null, LISTED_MAX)
    const secrets = await context.secretsIfGiven()
    for (const key of keys) context.out(columnsOf(key, secretName(key.secretVersion, secrets)).join('  '))
  },
}

function columnsOf(key: StoredKey, secret: string): readonly (string | number)[] {
  const { keyId, createdAt, revokedAt, scope, expiresAt, lastUsedAt, ratePerMinute, label } = key
  const limits = [scope, expiresAt, lastUsedAt, ratePerMinute, label]
  return [keyId, keyState(key, systemClock), createdAt, revokedAt, secret, ...limits].map(
    (value) => value ?? '-',
  )
}

export const revoke: Command = {
  words: ['key', 'revoke'],
  synopsis: 'KEYID',
  summary: 'Revoke a key: it fails on its very next request',
  details: ['KEYID is what "key list" shows first. Revoking a key again changes nothing.'],
  options: {},
  positionals: ['KEYID'],
  run: async (context, _values, [keyId = '']) => {
    const { administration } = await context.storage()
    const found = await administration.revokeKey(keyId, toInstant(systemClock.nowMs()))
    if (!found) throw new CommandError(`There is no key ${keyId}.`)
    context.note(`Revoked ${keyId}.`)
  },
}

async function issuingOf(context: Context): Promise<KeyIssuing> {
  const secrets = await context.secrets()
  const { administration: keys } = await context.storage()
  return { keys, secrets, random: systemRandom, clock: systemClock }
}

import { issueKey } from '../../domain/access/api-key.ts'
import { secretName } from '../../domain/access/secret-use.ts'
import { toInstant } from '../../domain/text/instant.ts'
import { systemClock, systemRandom } from '../system.ts'
import type { Command } from './command.ts'
import { CommandError } from './errors.ts'
import { ownerOf, ownerOptions } from './owner.ts'

export const issue: Command = {
  words: ['key', 'issue'],
  synopsis: '--org ID | --platform',
  summary: 'Issue an API key and print it, alone, on standard output',
  details: [
    'The key is shown this once: only its hash is stored. --platform makes a legacy key of the operator, which is',
    'accepted by the two sends only.',
  ],
  options: ownerOptions,
  positionals: [],
  run: async (context, values) => {
    const organizationId = await ownerOf(context, values)
    const { key, stored } = await issueKey(
      { organizationId },
      await context.secrets(),
      systemRandom,
      systemClock,
    )
    const { administration } = await context.storage()
    await administration.addKey(stored)
    context.out(key)
  },
}

export const list: Command = {
  words: ['key', 'list'],
  synopsis: '--org ID | --platform',
  summary: 'List keys: key id, state, instant of issue, instant of revocation, root secret',
  details: [
    'An active key has - for its revocation. The root secret under which a key is hashed is current, previous, or the',
    'name of another one. With --remote and without ROOT_SECRET in the environment each one has its name.',
  ],
  options: ownerOptions,
  positionals: [],
  run: async (context, values) => {
    const owner = await ownerOf(context, values)
    const { administration } = await context.storage()
    const keys = await administration.listKeys(owner)
    const secrets = await context.secretsIfGiven()
    for (const { keyId, createdAt, revokedAt, secretVersion } of keys) {
      const state = revokedAt === null ? 'active' : 'revoked'
      const secret = secretName(secretVersion, secrets)
      context.out([keyId, state, createdAt, revokedAt ?? '-', secret].join('  '))
    }
  },
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

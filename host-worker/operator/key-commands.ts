import { issueKey } from '../../domain/tenancy/api-key.ts'
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
  summary: 'List keys: key id, state, instant of issue, instant of revocation',
  details: [],
  options: ownerOptions,
  positionals: [],
  run: async (context, values) => {
    const owner = await ownerOf(context, values)
    const { administration } = await context.storage()
    for (const { keyId, createdAt, revokedAt } of await administration.listKeys(owner)) {
      context.out(
        [keyId, revokedAt === null ? 'active' : 'revoked', createdAt, revokedAt ?? ''].join('  ').trimEnd(),
      )
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

import { operatorRoles } from '../../../../domain/access/operator.ts'
import { keySettings } from '../../../../domain/operators/key-settings.ts'
import {
  issuePlatformKey,
  issueTenantKey,
  listPlatformKeys,
  listTenantKeys,
  revokeKey,
  rotateKeyEndpoint,
} from '../../../../domain/operators/endpoints/keys/keys.ts'
import {
  issueOperatorKeyEndpoint,
  listOperatorKeys,
  revokeOperatorKey,
} from '../../../../domain/operators/endpoints/keys/operator-keys.ts'
import { CommandError, Refusal, UsageError } from '../../client/errors.ts'
import type { Command } from '../../command/command.ts'
import { mark, text } from '../../command/command.ts'
import { listing } from '../../listing/listing.ts'
import { tenantKeySource } from './key-columns.ts'
import { issueForOperator, operatorKeySource, revokeIfOfOperator } from './operator-keys.ts'
import { keySettingsOf, overlapOf, settingFlags } from './key-flags.ts'
import { ownerFlags, ownerOf } from '../owner.ts'
import { callWithFlags } from '../settings.ts'

/** The flags of the settings of a key. */
const keyFlags = Object.fromEntries(
  Object.values(keySettings).map(({ flag: { name, placeholder } }) => [name, text(placeholder)]),
)

const issueCommand: Command = {
  words: ['key', 'issue'],
  positionals: [],
  flags: {
    ...ownerFlags,
    operator: text('NAME', 'either'),
    role: text(operatorRoles.join('|')),
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
  operations: [issueTenantKey, issuePlatformKey, issueOperatorKeyEndpoint],
  run: async (context, given) => {
    if (given.values.operator !== undefined) {
      await issueForOperator(context, given)
      return
    }
    if (given.values.role !== undefined)
      throw new UsageError('--role is for keys of operators: --operator NAME')
    const body = keySettingsOf(given.values)
    const organizationId = ownerOf(given.values)
    const service = await context.service()
    const issued = await callWithFlags(settingFlags, () =>
      organizationId === null
        ? service.call(issuePlatformKey, { body })
        : service.call(issueTenantKey, { params: { organizationId }, body }),
    )
    context.out(issued.body.key)
  },
}

const rotateCommand: Command = {
  words: ['key', 'rotate'],
  positionals: ['KEYID'],
  flags: { overlap: text('7d', 'required'), expires: text('ISO') },
  summary: 'Issue the successor of a key and print it; the old key ends by itself after the overlap',
  details: [
    'The successor has the label, scope, rate and end of the old key; --expires gives it another end. Until the overlap,',
    'a number of minutes (m), hours (h) or days (d), is over, both work. A key has one successor at most.',
  ],
  examples: ['7hX2kQ9vLm4TzRwN --overlap 7d'],
  operations: [rotateKeyEndpoint],
  run: async (context, { values, positionals: [keyId = ''] }) => {
    const overlap = overlapOf(values)
    const { expiresAt } = keySettingsOf(values)
    const body = { overlap, ...(expiresAt === undefined ? {} : { expiresAt }) }
    const service = await context.service()
    const { body: successor } = await callWithFlags(settingFlags, () =>
      service.call(rotateKeyEndpoint, { params: { keyId }, body }),
    )
    context.out(successor.key)
    context.note(`${keyId} ends at ${successor.replacedEndsAt}. Its successor is ${successor.keyId}.`)
  },
}

const listCommand = listing({
  words: ['key', 'list'],
  flags: { ...ownerFlags, operators: mark('either') },
  summary: 'List keys with their state, age, scope, end, last use, rate, label and issuer',
  details: [
    'The state is active, revoked or expired; the last use is an hour; the rate, requests a minute. A dash stands for',
    'none. The root secret under which a key is hashed is current, previous, or the name of another one. The issuer is',
    'the id of an operator key; root for whoever held the root secret; unknown for a key from before that was recorded.',
    '--operators lists operator keys: the same columns up to the root secret, then role, end, last use, issuer and',
    'operator.',
  ],
  examples: ['--org lakeside', '--platform', '--operators --json'],
  operations: [listTenantKeys, listPlatformKeys, listOperatorKeys],
  sources: [tenantKeySource, operatorKeySource],
  choose: ({ operators }) => (operators === true ? operatorKeySource : tenantKeySource),
  piped: 'columns',
  shown: null,
})

const revokeCommand: Command = {
  words: ['key', 'revoke'],
  positionals: ['KEYID'],
  flags: { descendants: mark() },
  summary: 'Revoke a key: it fails on its very next request',
  details: [
    'KEYID is what "key list" shows first, of an organization, of the platform or of an operator. Revoking a key again',
    'changes nothing. --descendants, for operator keys: also those that the key issued, those that these issued, and so',
    'on, keys of organizations and of the platform among them. Each operator key that this ends is printed with its role',
    'and operator, each other key with its kind and organization. When the database of an organization does not answer,',
    'the command fails and names the organization; the same command again ends the keys that are left.',
  ],
  examples: ['7hX2kQ9vLm4TzRwN', '7hX2kQ9vLm4TzRwN --descendants'],
  operations: [revokeKey, listOperatorKeys, revokeOperatorKey],
  run: async (context, { values, positionals: [keyId = ''] }) => {
    const service = await context.service()
    const withDescendants = values.descendants === true
    const ended = await revokeIfOfOperator(service, keyId, withDescendants)
    if (ended === null && withDescendants) throw new Refusal(404, `There is no operator key ${keyId}.`)
    if (ended === null) await service.call(revokeKey, { params: { keyId } })
    for (const { keyId: endedId, role, operator } of ended?.revoked ?? [])
      context.out([endedId, role, operator].join('  '))
    for (const { keyId: endedId, organizationId } of ended?.keys ?? [])
      context.out(
        [endedId, ...(organizationId === null ? ['platform'] : ['tenant', organizationId])].join('  '),
      )
    const unreached = ended?.unreached ?? []
    if (unreached.length > 0)
      throw new CommandError(
        `The databases of these organizations did not answer, so keys there that descend from ${keyId} may work still: ${unreached.join(', ')}. Everything else is revoked. Run the same command again.`,
      )
    context.note(`Revoked ${keyId}${withDescendants ? ' and every key that descends from it' : ''}.`)
  },
}

export const commands = [issueCommand, listCommand, rotateCommand, revokeCommand]

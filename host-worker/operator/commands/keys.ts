import { revokeKey } from '../../../domain/operators/keys.ts'
import { listOperatorKeys, revokeOperatorKey } from '../../../domain/operators/operator-keys.ts'
import { mark } from '../../../domain/record/command.ts'
import { CommandError, Refusal, itemsOf, type OperatorService } from '../client/call-service.ts'
import type { Command } from '../command.ts'
import type { AnswerTo } from '../../../domain/record/operation.ts'
import { getHealth } from '../../../domain/operators/service.ts'
import { chooseService, removeLogin, writeLogin } from '../client/open-service.ts'

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

/** What a revocation with descendants has ended, and what it did not reach. */
type RevokedKeys = NonNullable<AnswerTo<typeof revokeOperatorKey>>

const NOTHING: RevokedKeys = { revoked: [], keys: [], unreached: [] }

/**
 * Revokes an operator key, with its descendants if that is asked for.
 * @returns what this ended, when descendants were asked for; null: there is no operator key with that id
 */
async function revokeIfOfOperator(
  service: OperatorService,
  keyId: string,
  withDescendants: boolean,
): Promise<RevokedKeys | null> {
  // The key is looked up first, so that the audit contains no refused change when the id belongs to another kind of
  // key.
  for await (const key of itemsOf(service, listOperatorKeys)) {
    if (key.keyId !== keyId) continue
    const query = withDescendants ? { descendants: 'true' } : {}
    return (await service.call(revokeOperatorKey, { params: { keyId }, query })) ?? NOTHING
  }
  return null
}

const loginCommand: Command = {
  words: ['login'],
  positionals: [],
  flags: {},
  summary: 'Store which service the commands of this user are about, and the operator key for it',
  details: [
    'Needs --url (or OPERATOR_URL, or --remote). The key is taken from --key or OPERATOR_KEY, else asked for, or read',
    'from standard input when that is no terminal: other users of the machine can read what stands on a command line.',
    'It is tried first, and then kept in a file that its user alone can read.',
  ],
  examples: ['--url https://api.example.com', '--remote'],
  operations: [getHealth],
  run: async (context) => {
    const { sources, loginPath } = context
    // An earlier login is ignored, because this command replaces it.
    const choice = chooseService({ ...sources, login: () => null }, 'question')
    if (choice.kind === 'local') throw new CommandError('Say where to log in: --url https://api.example.com.')
    const key = choice.key ?? (await context.askKey(`Operator key for ${choice.url}: `))
    const service = await context.open({ ...choice, key })
    const { operator, role } = await service.call(getHealth)
    writeLogin(loginPath, { url: choice.url, key })
    context.note(`Logged in at ${choice.url} as ${operator} (${role}). Stored in ${loginPath}.`)
  },
}

const logoutCommand: Command = {
  words: ['logout'],
  positionals: [],
  flags: {},
  summary: 'Forget what "login" stored',
  details: ['The key goes on working: "key revoke" ends it.'],
  examples: [''],
  operations: [],
  run: async ({ loginPath, note }) => {
    note(removeLogin(loginPath) ? `Removed ${loginPath}.` : 'There was no login.')
  },
}

export const commands = [revokeCommand, loginCommand, logoutCommand]

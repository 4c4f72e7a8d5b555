import { getHealth } from '../../../domain/operators/service.ts'
import { CommandError } from '../client/call-service.ts'
import { chooseService, removeLogin, writeLogin } from '../client/choose-service.ts'
import type { Command } from '../command.ts'

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
    const { operator, role } = (await service.call(getHealth)).body
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

export const commands = [loginCommand, logoutCommand]

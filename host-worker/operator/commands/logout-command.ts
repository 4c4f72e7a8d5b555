import { removeLogin } from '../client/login-file.ts'
import type { Command } from '../command/command.ts'

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

export const commands = [logoutCommand]

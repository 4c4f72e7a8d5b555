import { keysOf } from '../../../domain/text/json.ts'
import type { Command } from '../command/command.ts'
import { completionEntries, completionScripts } from '../completion/completion.ts'

const shells = keysOf(completionScripts)

const completionCommand: Command = {
  words: ['completion'],
  positionals: ['SHELL'],
  choices: { SHELL: shells },
  flags: {},
  summary: 'Print the script by which a shell completes the commands of "tenant-data"',
  details: [
    'SHELL is bash, zsh or fish. In ~/.bashrc, or in ~/.zshrc after compinit:',
    '  source <(tenant-data completion bash)',
    'For fish: tenant-data completion fish > ~/.config/fish/completions/tenant-data.fish',
  ],
  examples: ['bash', 'zsh'],
  operations: [],
  run: async ({ commands, out }, { positionals: [given] }) => {
    const shell = shells.find((known) => known === given)
    if (shell !== undefined) out(completionScripts[shell](completionEntries(await commands())))
  },
}

export const commands = [completionCommand]

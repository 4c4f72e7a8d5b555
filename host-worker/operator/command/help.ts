import type { Command } from './command.ts'
import { serviceFlags, synopsisOf } from './command.ts'

/** The command by which a person calls the operator. */
export const PROGRAM = 'npm run -s operator --'

const WHERE = [
  'Each command also takes --url URL and --key KEY, or --remote. They win over OPERATOR_URL and OPERATOR_KEY, and these',
  'over "login". Without any of them it is about the service of STATE_DIR (default .wrangler/state): the one that runs',
  'there, else one that runs as long as the command. --remote is the deployed service that wrangler.toml names.',
]

/** The usage of a command: how it is called, and what it does. */
export function usage(command: Command): string {
  const { words, summary, details } = command
  const call = [PROGRAM, ...words, synopsisOf(command)].filter((part) => part !== '').join(' ')
  const common = synopsisOf({ positionals: [], flags: serviceFlags })
  return [`Usage: ${call} ${common}`, '', `${summary}.`, ...details].join('\n')
}

/** The operations of the interface that a command may call, with method and path. */
export function operationsOf({ operations }: Command): readonly string[] {
  if (operations.length === 0) return []
  return ['', 'Calls:', ...operations.map(({ method, path }) => `  ${method} ${path}`)]
}

/** A list of commands, each in a line. */
export function overview(of: readonly Command[]): string {
  const width = Math.max(...of.map(({ words }) => words.join(' ').length))
  return [
    `Usage: ${PROGRAM} COMMAND …    (COMMAND --help says more)`,
    '',
    ...of.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    ...WHERE,
  ].join('\n')
}

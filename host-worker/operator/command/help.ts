import { serviceFlags, synopsisOf, type Declaration } from './command.ts'

const WHERE = [
  'Each command also takes --url URL and --key KEY, or --remote. They win over OPERATOR_URL and OPERATOR_KEY, and these',
  'over "login". Without any of them it is about the service of STATE_DIR (default .wrangler/state): the one that runs',
  'there, else one that runs as long as the command. --remote is the deployed service that wrangler.toml names.',
  '--version prints the version. "completion SHELL" lets a shell complete all these words.',
]

/**
 * The usage of a command: how it is called, and what it does.
 * @param program by which the operator is called
 */
export function usage(command: Declaration, program: string): string {
  const { words, summary, details } = command
  const call = [program, ...words, synopsisOf(command)].filter((part) => part !== '').join(' ')
  const common = synopsisOf({ positionals: [], flags: serviceFlags })
  return [`Usage: ${call} ${common}`, '', `${summary}.`, ...details].join('\n')
}

/** Typical calls of a command. */
export function examplesOf({ words, examples }: Declaration, program: string): readonly string[] {
  const calls = examples.map((given) => [program, ...words, given].filter((part) => part !== '').join(' '))
  return ['', calls.length === 1 ? 'Example:' : 'Examples:', ...calls.map((call) => `  ${call}`)]
}

/** The operations of the interface that a command may call, with method and path. */
export function operationsOf({ operations }: Declaration): readonly string[] {
  if (operations.length === 0) return []
  return ['', 'Calls:', ...operations.map(({ method, path }) => `  ${method} ${path}`)]
}

/** A list of commands, each in a line. */
export function overview(of: readonly Declaration[], program: string): string {
  const width = Math.max(...of.map(({ words }) => words.join(' ').length))
  return [
    `Usage: ${program} COMMAND …    (COMMAND --help says more)`,
    '',
    ...of.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    ...WHERE,
  ].join('\n')
}

import type { Command, Values } from './command.ts'
import { readArguments } from './command.ts'
import type { Context, Streams } from './context.ts'
import { createContext } from './context.ts'
import type { DatabaseOpeners } from './database.ts'
import { wranglerDatabases } from './database.ts'
import { CommandError, UsageError } from './errors.ts'
import { formCheck } from './form-check-command.ts'
import { importCommand } from './import-command.ts'
import { issue, list, revoke, rotate } from './key-commands.ts'
import { outboxList, outboxRetry, sends } from './outbox-commands.ts'
import { secretsStatus } from './secrets-command.ts'
import { createOrganization, showOrganization } from './organization-commands.ts'
import { isStorageLocked } from '../wiring/storage.ts'

const commands: readonly Command[] = [
  createOrganization,
  showOrganization,
  issue,
  list,
  rotate,
  revoke,
  secretsStatus,
  importCommand,
  formCheck,
  outboxList,
  outboxRetry,
  sends,
]

/** The command by which a person calls the operator. */
const PROGRAM = 'npm run -s operator --'

/** Runs one command. Returns the exit code: 0 done, 1 it could not be done, 2 it was called wrongly. */
export async function runOperator(
  given: readonly string[],
  streams: Streams,
  databases: DatabaseOpeners = wranglerDatabases,
): Promise<number> {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const command = commands.find(({ words }) => words.every((word, index) => args[index] === word))
  if (command === undefined) return withoutCommand(args, streams)
  try {
    const { values, positionals } = readArguments(command, args.slice(command.words.length))
    if (values.help === true) streams.out(usage(command))
    else {
      const context = createContext(values.remote === true, streams, databases)
      await runIn(context, command, values, positionals)
    }
    return 0
  } catch (error) {
    return report(error, command, streams)
  }
}

async function runIn(
  context: Context,
  command: Command,
  values: Values,
  positionals: readonly string[],
): Promise<void> {
  try {
    await command.run(context, values, positionals)
  } finally {
    await context.close()
  }
}

function report(error: unknown, command: Command, { note }: Streams): number {
  if (error instanceof UsageError) {
    note(`${error.message}\n\n${usage(command)}`)
    return 2
  }
  if (isStorageLocked(error)) {
    note(
      'The database was busy for too long: something else wrote to it. Run the command again: what it did before stays as it is.',
    )
    return 1
  }
  const isExpected = error instanceof CommandError
  note(isExpected ? error.message : String(error instanceof Error ? error.stack : error))
  return 1
}

function usage({ words, synopsis, summary, details }: Command): string {
  const call = `${PROGRAM} ${[...words, synopsis].join(' ')} [--remote]`
  return [`Usage: ${call}`, '', `${summary}.`, ...details, 'With --remote: in the deployed database.'].join(
    '\n',
  )
}

const HELP = ['--help', '-h']

/**
 * Shows the commands, or those of a group (`key`), when help is asked for or nothing is given; else says that there is
 * no such command.
 */
function withoutCommand(args: readonly string[], { out, note }: Streams): number {
  const named = args.filter((word) => !HELP.includes(word))
  const group = commands.filter(({ words }) => words.length > 1 && words[0] === named[0])
  const shown = overview(group.length === 0 ? commands : group)
  const isKnown = named.length === 0 || (group.length > 0 && named.length === 1)
  if (isKnown && named.length < args.length) {
    out(shown)
    return 0
  }
  note(isKnown ? shown : `Unknown command: ${named.slice(0, 2).join(' ')}\n\n${shown}`)
  return 2
}

function overview(of: readonly Command[]): string {
  const width = Math.max(...of.map(({ words }) => words.join(' ').length))
  return [
    `Usage: ${PROGRAM} COMMAND …    (COMMAND --help says more)`,
    '',
    ...of.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    'STATE_DIR (default .wrangler/state) names the local database; --remote takes the deployed one.',
  ].join('\n')
}

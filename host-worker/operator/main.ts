import type { Command } from './command.ts'
import { readArguments } from './command.ts'
import { createContext } from './context.ts'
import { CommandError, UsageError } from './errors.ts'
import { formCheck } from './form-check-command.ts'
import { importCommand } from './import-command.ts'
import { issue, list, revoke } from './key-commands.ts'
import { createOrganization, showOrganization } from './organization-commands.ts'

const commands: readonly Command[] = [
  createOrganization,
  showOrganization,
  issue,
  list,
  revoke,
  importCommand,
  formCheck,
]

/** How a person calls the operator. */
const PROGRAM = 'npm run -s operator --'

/** Runs one command. Returns the exit code: 0 done, 1 it could not be done, 2 it was called wrongly. */
async function main(args: readonly string[]): Promise<number> {
  const command = commands.find(({ words }) => words.every((word, index) => args[index] === word))
  if (command === undefined) return overview(args)
  try {
    const { values, positionals } = readArguments(command, args.slice(command.words.length))
    if (values.help === true) {
      process.stdout.write(usage(command))
      return 0
    }
    const context = createContext(values.remote === true)
    try {
      await command.run(context, values, positionals)
    } finally {
      await context.close()
    }
    return 0
  } catch (error) {
    return report(error, command)
  }
}

function report(error: unknown, command: Command): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage(command)}`)
    return 2
  }
  const text =
    error instanceof CommandError ? error.message : String(error instanceof Error ? error.stack : error)
  process.stderr.write(`${text}\n`)
  return 1
}

function usage({ words, synopsis, summary, details }: Command): string {
  const call = `${PROGRAM} ${[...words, synopsis].join(' ')} [--remote]`
  return [
    `Usage: ${call}`,
    '',
    `${summary}.`,
    ...details,
    'With --remote: in the deployed database.',
    '',
  ].join('\n')
}

function overview(args: readonly string[]): number {
  const asked = args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')
  const width = Math.max(...commands.map(({ words }) => words.join(' ').length))
  const lines = commands.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`)
  const text = [
    `Usage: ${PROGRAM} COMMAND …    (COMMAND --help says more)`,
    '',
    ...lines,
    '',
    'STATE_DIR (default .wrangler/state) names the local database; --remote takes the deployed one.',
    '',
  ].join('\n')
  if (args[0] === undefined || !asked)
    process.stderr.write(args[0] === undefined ? text : `Unknown command\n\n${text}`)
  else process.stdout.write(text)
  return asked && args.length > 0 ? 0 : 2
}

// Setting the code rather than exiting lets what was written to a pipe get there.
process.exitCode = await main(process.argv.slice(2))

import { CommandError, UsageError } from './client/errors.ts'
import { readArguments } from './command/arguments.ts'
import type { Command } from './command/command.ts'
import type { Streams } from './command/context.ts'
import { nearestWord } from '../../domain/text/nearest-word.ts'
import { operationsOf, overview, PROGRAM, usage } from './command/help.ts'
import { allCommands, commandsOf } from './commands.ts'
import type { Host } from './run-command.ts'
import { runCommand } from './run-command.ts'

/**
 * Runs one command. Returns the exit code: 0 for success, 1 when the command failed, 2 when it was called with wrong
 * arguments.
 */
export async function runOperator(given: readonly string[], streams: Streams, host: Host): Promise<number> {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const group = await commandsOf(args[0] ?? '')
  const command = group.find(({ words }) => words.every((word, index) => args[index] === word))
  if (command === undefined) return withoutCommand(args, streams)
  try {
    const read = readArguments(command, args.slice(command.words.length))
    if (read.values.help === true) streams.out([usage(command), ...operationsOf(command)].join('\n'))
    else await runCommand(command, read, streams, host)
    return 0
  } catch (error) {
    return report(error, command, streams)
  }
}

function report(error: unknown, command: Command, { note }: Streams): number {
  if (error instanceof UsageError) {
    const { message } = error
    const sentence = /[.?]$/.test(message) ? message : `${message}.`
    note(`${sentence}\nFor its usage: ${PROGRAM} help ${command.words.join(' ')}`)
    return 2
  }
  const isExpected = error instanceof CommandError || isRefusedFile(error)
  note(isExpected ? error.message : String(error instanceof Error ? error.stack : error))
  return 1
}

/** Whether the operating system refused to open a file. The message of such an error names the file and the reason. */
function isRefusedFile(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

const HELP = ['--help', '-h']

/**
 * Shows all commands, or those of a group (`key`), when help is requested or no arguments are given. Otherwise says
 * that there is no such command.
 */
async function withoutCommand(args: readonly string[], { out, note }: Streams): Promise<number> {
  const named = args.filter((word) => !HELP.includes(word))
  const group = await commandsOf(named[0] ?? '')
  const shown = overview(group.length === 0 ? await allCommands() : group)
  const isKnown = named.length === 0 || (group.length > 0 && named.length === 1)
  if (isKnown && named.length < args.length) {
    out(shown)
    return 0
  }
  note(isKnown ? shown : unknownCommand(named, await allCommands()))
  return 2
}

/** The sentence for words that are no command, with the command that was probably meant. */
function unknownCommand(named: readonly string[], commands: readonly Command[]): string {
  const known = [
    ...commands.map(({ words }) => words.join(' ')),
    ...new Set(commands.flatMap(({ words: [word = ''] }) => word)),
  ]
  const [first = '', second] = named
  const meant =
    nearestWord(second === undefined ? first : `${first} ${second}`, known) ?? nearestWord(first, known)
  const suggested = meant === null ? '' : ` Did you mean "${meant}"?`
  const given = JSON.stringify(named.slice(0, 2).join(' '))
  return `There is no command ${given}.${suggested}\nFor all commands: ${PROGRAM} help`
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearestWord } from '../../domain/text/nearest-word.ts'
import { escapedCommands } from '../../domain/text/terminal.ts'
import { projectRoot } from '../local/project.ts'
import { CommandError, UsageError } from './client/errors.ts'
import { readArguments } from './command/arguments.ts'
import type { Command } from './command/command.ts'
import type { Streams } from './command/context.ts'
import { examplesOf, operationsOf, overview, usage } from './command/help.ts'
import { withoutSecrets } from './command/without-secrets.ts'
import { allCommands, commandFor } from './commands.ts'
import { runCommand, type Host } from './run-command.ts'

/**
 * Runs one command. Returns the exit code: 0 for success, 1 when the command failed, 2 when it was called with wrong
 * arguments.
 */
export async function runOperator(given: readonly string[], output: Streams, host: Host): Promise<number> {
  const note = (lines: string) => {
    output.note(escapedCommands(withoutSecrets(lines, given, host.environment)))
  }
  const streams = { ...output, note }
  if (given[0] === '--version') {
    streams.out(version())
    return 0
  }
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  const command = await commandFor(args)
  if (command === null) return withoutCommand(args, streams, host.program)
  try {
    const read = readArguments(command, args.slice(command.words.length))
    if (read.values.help === true) streams.out(helpOf(command, host.program))
    else await runCommand(command, read, streams, host)
    return 0
  } catch (error) {
    return report(error, command, streams, host.program)
  }
}

function helpOf(command: Command, program: string): string {
  return [usage(command, program), ...examplesOf(command, program), ...operationsOf(command)].join('\n')
}

function version(): string {
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}

function report(error: unknown, command: Command, { note }: Streams, program: string): number {
  if (error instanceof UsageError) {
    const { message } = error
    const sentence = /[.?]$/.test(message) ? message : `${message}.`
    note(`${sentence}\nFor its usage: ${program} help ${command.words.join(' ')}`)
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
async function withoutCommand(
  args: readonly string[],
  { out, note }: Streams,
  program: string,
): Promise<number> {
  const named = args.filter((word) => !HELP.includes(word))
  const all = await allCommands()
  const group = all.filter(({ words }) => words[0] === named[0])
  const isKnown = named.length === 0 || (group.length > 0 && named.length === 1)
  if (!isKnown) {
    note(`${unknownCommand(named, all)}\nFor all commands: ${program} help`)
    return 2
  }
  const isAsked = named.length < args.length
  const write = isAsked ? out : note
  write(overview(group.length === 0 ? all : group, program))
  return isAsked ? 0 : 2
}

/** What the words of commands look like. Anything else is not repeated: it may be a key. */
const WORD = /^[a-z][a-z-]{0,30}$/i
const MORE_WORDS = ['help', '--help', '--version']

/** The sentence for words that are no command, with the command that was probably meant. */
function unknownCommand(named: readonly string[], commands: readonly Command[]): string {
  const [first = '', second = ''] = named
  if (first.startsWith('-')) return leadingFlag(first)
  const words = WORD.test(second) ? [first, second] : [first]
  const meant = meantBy(words, commands)
  const suggested = meant === null ? '' : ` Did you mean "${meant}"?`
  const given = words.every((word) => WORD.test(word))
    ? `command ${JSON.stringify(words.join(' '))}`
    : 'such command'
  return `There is no ${given}.${suggested}`
}

function meantBy(words: readonly string[], commands: readonly Command[]): string | null {
  const whole = commands.map((command) => command.words.join(' '))
  const beginnings = [...new Set(commands.flatMap(({ words: [word = ''] }) => word))]
  const known = [...whole, ...beginnings, ...MORE_WORDS]
  return (
    nearestWord(words.join(' '), known) ??
    nearestWord(words.toReversed().join(' '), whole) ??
    nearestWord(words[0] ?? '', known)
  )
}

function leadingFlag(flag: string): string {
  const [name = ''] = flag.split('=')
  const meant = nearestWord(name, MORE_WORDS)
  if (meant !== null) return `There is no flag ${name} without a command. Did you mean ${meant}?`
  return `The command comes first, and its flags follow it.`
}

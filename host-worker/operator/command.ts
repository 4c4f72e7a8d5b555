import { mark, text, type CommandWords, type Flag, type FlagValues } from '../../domain/record/command.ts'
import type { OperationEndpoint } from '../../domain/record/operation.ts'
import type { Choice, Sources } from './client/open-service.ts'
import { Refusal, UsageError, type OperatorService, CommandError } from './client/call-service.ts'
import { parseArgs } from 'node:util'
import { suggestion } from '../../domain/text/schema-errors.ts'
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatOfName, importFormats, type ImportSource } from '../../domain/imports/file/transfer.ts'
import type { ImportFormat } from '../../ports/import-sessions.ts'
import { systemClock } from '../system.ts'

/** The arguments of a command. */
export interface Arguments {
  readonly values: FlagValues
  readonly positionals: readonly string[]
}

/** What is known of a command without running it, and which operations of the interface it may call. */
export interface Declaration extends CommandWords {
  readonly operations: readonly OperationEndpoint[]
}

/** One command for operators. */
export interface Command extends Declaration {
  readonly run: (context: Context, given: Arguments) => Promise<void>
}

/** Flags of every command, which choose the service. */
export const serviceFlags = {
  url: text('URL'),
  key: text('KEY'),
  remote: mark(),
} as const satisfies Declaration['flags']

/** The arguments of a command in the form in which its usage shows them. */
export function synopsisOf({ positionals, flags }: Pick<Declaration, 'positionals' | 'flags'>): string {
  const written = Object.entries(flags).map(([name, { value, presence, isRepeatable }]) => {
    const usage = value === null ? `--${name}` : `--${name} ${value}`
    return { presence, usage: isRepeatable === true ? `${usage} …` : usage }
  })
  const usagesOf = (presence: Flag['presence']) =>
    written.filter((flag) => flag.presence === presence).map(({ usage }) => usage)
  return [
    ...positionals,
    usagesOf('either').join(' | '),
    usagesOf('some').join(' | '),
    ...usagesOf('required'),
    ...usagesOf('optional').map((usage) => `[${usage}]`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** The terminal to which a command writes its results. */
export interface Terminal {
  /** How many characters a line has; 0: it does not say. */
  readonly width: number
  readonly hasColour: boolean
}

/** The output of a command. */
export interface Streams {
  /** Writes one line of result to standard output. */
  readonly out: (line: string) => void
  /** Writes one line for the person at the terminal to standard error. */
  readonly note: (line: string) => void
  /** The terminal that standard output is; null: it is none. */
  readonly terminal: Terminal | null
}

/** The dependencies of a command. */
export interface Context extends Streams {
  /**
   * The service for the command. The first call chooses it, and starts the local service when it is not running.
   * @param without what may replace an operator key; left out: nothing
   */
  service(without?: 'root secret'): Promise<OperatorService>
  /** The places that specified the service. */
  readonly sources: Sources
  /** Opens a service that the command itself chose. */
  open(choice: Choice): Promise<OperatorService>
  /** The path of the user's login file. */
  readonly loginPath: string
  /** Asks the person at the terminal for a key, or reads it from standard input. */
  askKey(question: string): Promise<string>
  /** Every command of the program. */
  readonly commands: () => Promise<readonly CommandWords[]>
}

/** Shows the progress of a long job in one line of a terminal. Without a terminal it shows nothing. */
export interface Progress {
  /** Shows the count, at most five times a second. The first and the last count of a label are always shown. */
  update(label: string, rows: number): void
  /** Clears the line. */
  end(): void
}

/** Reads the arguments after a command's words. Throws a `UsageError` when they do not fit it. */
export function readArguments(command: Command, args: readonly string[]): Arguments {
  const given = parsed(command, args)
  if (given.values.help === true) return given
  checkPresence(command, given)
  checkChoices(command, given)
  return given
}

/** The text of a flag, or undefined when it was not given. */
export function textOf(values: FlagValues, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The texts of a flag that may be given several times, in their order. */
export function textsOf(values: FlagValues, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.map(String) : []
}

function parsed(command: Command, args: readonly string[]): Arguments {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: optionsOf(command),
      allowPositionals: true,
      strict: true,
      tokens: true,
    })
    const names = tokens
      .flatMap((token) => (token.kind === 'option' ? [token.name] : []))
      .filter((name) => command.flags[name]?.isRepeatable !== true)
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) throw new UsageError(`--${repeated} is given twice`)
    return { values, positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(sentenceOf(error, command, args), { cause: error })
  }
}

/** What is wrong with arguments that cannot be parsed, as a sentence. */
function sentenceOf(error: unknown, command: Command, args: readonly string[]): string {
  const { code, message } = error as { readonly code?: string; readonly message: string }
  const [, named = ''] = /'(-[^' ]+)/.exec(message) ?? []
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const flags = Object.keys(optionsOf(command)).map((name) => `--${name}`)
    return `"${command.words.join(' ')}" has no flag ${named}.${suggestion(named, flags)}`
  }
  if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return message
  const [, flag = named] = /(--[\w-]+)/.exec(message) ?? []
  const value = args[args.indexOf(flag) + 1]
  if (message.includes('does not take an argument')) return `${flag} takes no value`
  return value?.startsWith('-') === true
    ? `${flag} needs a value. One that begins with "-" is given as ${flag}=VALUE`
    : `${flag} needs a value`
}

function optionsOf({ flags }: Command) {
  const options = Object.entries({ ...serviceFlags, ...flags }).map(
    ([name, { value, isRepeatable }]) =>
      [name, { type: value === null ? 'boolean' : 'string', multiple: isRepeatable === true }] as const,
  )
  return { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } } as const
}

/** Checks that all required arguments are given, and no superfluous ones. */
function checkPresence(command: Command, given: Arguments): void {
  checkPositionals(command, given)
  const { flags } = command
  const { values } = given
  const isEmpty = (name: string) => [values[name]].flat().includes('') && flags[name]?.mayBeEmpty !== true
  const empty = Object.keys(values).find(isEmpty)
  if (empty !== undefined) throw new UsageError(`--${empty} is empty`)
  const namesOf = (presence: string) =>
    Object.keys(flags).filter((name) => flags[name]?.presence === presence)
  const absent = namesOf('required').find((name) => values[name] === undefined)
  if (absent !== undefined) throw new UsageError(`--${absent} is missing`)
  const either = namesOf('either')
  const [first, second] = either.filter((name) => values[name] !== undefined)
  if (second !== undefined) throw new UsageError(`--${String(first)} and --${second} exclude each other`)
  const some = namesOf('some')
  const lacking = some.every((name) => values[name] === undefined) ? some : []
  const wanted = first === undefined && either.length > 0 ? either : lacking
  if (wanted.length > 0) throw new UsageError(`${wanted.map((name) => `--${name}`).join(' or ')} is missing`)
}

function checkPositionals({ words, positionals: wanted }: Command, { positionals }: Arguments): void {
  const missing = wanted[positionals.length]
  if (missing?.startsWith('[') === false) throw new UsageError(`${missing} is missing`)
  if (positionals.length <= wanted.length || wanted.at(-1)?.endsWith('…') === true) return
  // What was given is not repeated: it may be a key.
  const taken = wanted.length === 0 ? 'nothing but flags' : `${wanted.join(' ')} and flags, nothing more`
  throw new UsageError(`"${words.join(' ')}" takes ${taken}`)
}

/** Checks what can only be one of some words. */
function checkChoices({ positionals: names, choices = {}, flags }: Command, given: Arguments): void {
  for (const [index, name] of names.entries()) {
    const value = given.positionals[index]
    const words = choices[name]
    if (value === undefined || words === undefined || words.includes(value)) continue
    const what = `There is no ${name.toLowerCase()} ${JSON.stringify(value)}.${suggestion(value, words)}`
    throw new UsageError(`${what} ${name} is ${oneOf(words)}`)
  }
  for (const [name, { choices: words }] of Object.entries(flags)) {
    const value = textOf(given.values, name)
    if (value === undefined || words === null || words.includes(value)) continue
    throw new UsageError(`--${name} must be ${oneOf(words)}.${suggestion(value, words)}`)
  }
}

function oneOf(words: readonly string[]): string {
  return words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`
}

/**
 * Makes a call whose settings come from flags. When the service refuses a setting that one of them sets, throws a
 * `UsageError` that names the flag.
 */
export async function callWithFlags<Answer>(
  flags: Readonly<Record<string, Flag>>,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error
    const [, setting = '', problem = ''] = /^(\w+): (.*?)\.?$/s.exec(error.message) ?? []
    const [flag] = Object.entries(flags).find(([, { sets }]) => sets === setting) ?? []
    throw flag === undefined ? error : new UsageError(`--${flag} ${problem}`, { cause: error })
  }
}

/** A file to import. Its format is given by `--format`, or else by the extension, or else it is NDJSON. */
export function importFile(path: string, values: FlagValues): { source: ImportSource; format: ImportFormat } {
  return { source: sourceOfFile(path), format: formatOf(path, textOf(values, 'format')) }
}

function formatOf(path: string, given: string | undefined): ImportFormat {
  if (given === undefined) return formatOfName(path)
  const format = importFormats.find((known) => known === given)
  if (format === undefined) throw new UsageError(`--format must be ${importFormats.join(' or ')}`)
  return format
}

/**
 * The absolute path for a path that a person gave. npm runs scripts in the project's root, but a relative path refers
 * to the directory in which npm was called.
 */
export function givenPath(path: string): string {
  const from = process.env.npm_lifecycle_event === 'operator' ? process.env.INIT_CWD : undefined
  return resolve(from ?? '.', path)
}

const READ_BYTES = 256 * 1024

/** A file by the path that a person gave. It can be read any number of times. */
export function sourceOfFile(path: string): ImportSource {
  const absolute = givenPath(path)
  const stats = statSync(absolute, { throwIfNoEntry: false })
  if (stats === undefined) throw new CommandError(`There is no file ${path}.`)
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: it must be readable twice.`)
  return { open: () => createReadStream(absolute, { highWaterMark: READ_BYTES }) }
}

const REDRAW_MS = 200

/** @param terminal the stream to which the line is written, if it is a terminal */
export function createProgress(
  terminal: Pick<NodeJS.WriteStream, 'isTTY'> & { write(text: string): unknown },
  nowMs: () => number,
): Progress {
  if (!terminal.isTTY) return { update: () => undefined, end: () => undefined }
  let label = ''
  let startedMs = nowMs()
  let drawnMs = 0
  let waitingRows: number | null = null
  const draw = (rows: number) => {
    const rate = Math.round((rows * 1000) / Math.max(nowMs() - startedMs, 1))
    terminal.write(
      `\r\u001b[K${label}: ${rows.toLocaleString('en')} rows, ${rate.toLocaleString('en')} a second`,
    )
  }
  const drawWaiting = () => {
    if (waitingRows !== null) draw(waitingRows)
    waitingRows = null
  }
  return {
    update: (current, rows) => {
      const isNew = current !== label
      if (isNew) {
        drawWaiting()
        if (label !== '') startedMs = nowMs()
        label = current
      }
      waitingRows = rows
      if (!isNew && nowMs() - drawnMs < REDRAW_MS) return
      drawnMs = nowMs()
      drawWaiting()
    },
    end: () => {
      drawWaiting()
      terminal.write('\r\u001b[K')
    },
  }
}

/** Does a long job, with its progress on the terminal. */
export async function withProgress<Result>(
  work: (update: Progress['update']) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(process.stderr, () => systemClock.nowMs())
  try {
    return await work((label, rows) => {
      progress.update(label, rows)
    })
  } finally {
    progress.end()
  }
}

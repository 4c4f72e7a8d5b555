import type { ParseArgsOptionsConfig } from 'node:util'
import { parseArgs } from 'node:util'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'

/** The values of a command's options by name, without the dashes. */
export type Values = Readonly<Record<string, string | boolean | undefined>>

/** One command of the operator. */
export interface Command {
  /** The words that call it. */
  readonly words: readonly string[]
  /** What follows the words. */
  readonly synopsis: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What a person must know beyond the synopsis, line by line. */
  readonly details: readonly string[]
  readonly options: ParseArgsOptionsConfig
  /** Names of its positional arguments; all are required. */
  readonly positionals: readonly string[]
  readonly run: (context: Context, values: Values, positionals: readonly string[]) => Promise<void>
}

/** Options that every command takes. */
const common: ParseArgsOptionsConfig = { remote: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }

export interface Arguments {
  readonly values: Values
  readonly positionals: readonly string[]
}

/** Reads the arguments after a command's words. Throws a `UsageError` when they do not fit it. */
export function readArguments(command: Command, args: readonly string[]): Arguments {
  const { values, positionals } = parsed(command, args)
  if (values.help === true) return { values, positionals }
  const missing = command.positionals[positionals.length]
  if (missing !== undefined) throw new UsageError(`${missing} is missing`)
  const surplus = positionals[command.positionals.length]
  if (surplus !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(surplus)}`)
  return { values, positionals }
}

function parsed(command: Command, args: readonly string[]): Arguments {
  try {
    const options = { ...common, ...command.options }
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    })
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) throw new UsageError(`--${repeated} is given twice`)
    return { values: values as Values, positionals }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** The text of an option, or undefined when it was not given. */
export function textOption(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The text of an option that must be given and not be empty. */
export function requiredOption(values: Values, name: string): string {
  const value = textOption(values, name)
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

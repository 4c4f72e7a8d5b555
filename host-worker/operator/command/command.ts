import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { Context } from './context.ts'

/** The values of a command's flags by name, without the dashes. */
export type Values = Readonly<Record<string, string | boolean | undefined>>

/** What was given to a command. */
export interface Arguments {
  readonly values: Values
  readonly positionals: readonly string[]
}

/** One flag of a command. */
export interface Flag {
  /** What stands for its value in the usage; null: it has no value. */
  readonly value: string | null
  /** `either`: exactly one of the command's flags of this kind must be given. */
  readonly presence: 'optional' | 'required' | 'either'
  /** Whether an empty value means something: it clears a setting. */
  readonly mayBeEmpty: boolean
}

/** A flag with a text after it. */
export function text(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { value, presence, mayBeEmpty: false }
}

/** A flag with a text after it, which clears a setting when it is empty. */
export function clearable(value: string): Flag {
  return { value, presence: 'optional', mayBeEmpty: true }
}

/** A flag that stands alone. */
export function mark(presence: Flag['presence'] = 'optional'): Flag {
  return { value: null, presence, mayBeEmpty: false }
}

/**
 * One command of the operator. Parsing, `help` and the table of the manual all come from this record, and from nowhere
 * else.
 */
export interface Command {
  /** The words that call it. */
  readonly words: readonly string[]
  /** Names of what follows the words without a flag; all are required. */
  readonly positionals: readonly string[]
  /** By name, without the dashes, in the order of the usage. */
  readonly flags: Readonly<Record<string, Flag>>
  /** What it does, in one line that begins with an imperative. */
  readonly summary: string
  /** What a person must know beyond the usage, line by line. */
  readonly details: readonly string[]
  /** What it may call of the operator interface. */
  readonly operations: readonly OperationEndpoint[]
  readonly run: (context: Context, given: Arguments) => Promise<void>
}

/** Flags that every command takes: which service it is about. */
export const serviceFlags = {
  url: text('URL'),
  key: text('KEY'),
  remote: mark(),
} as const satisfies Command['flags']

/** What follows the words of a command, as its usage shows it. */
export function synopsisOf({ positionals, flags }: Pick<Command, 'positionals' | 'flags'>): string {
  const written = Object.entries(flags).map(([name, { value, presence }]) => {
    return { presence, usage: value === null ? `--${name}` : `--${name} ${value}` }
  })
  const usagesOf = (presence: Flag['presence']) =>
    written.filter((flag) => flag.presence === presence).map(({ usage }) => usage)
  return [
    ...positionals,
    usagesOf('either').join(' | '),
    ...usagesOf('required'),
    ...usagesOf('optional').map((usage) => `[${usage}]`),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

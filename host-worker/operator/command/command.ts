import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { Context } from './context.ts'

/** The values of a command's flags by name, without the dashes. */
export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The arguments of a command. */
export interface Arguments {
  readonly values: Values
  readonly positionals: readonly string[]
}

/** One flag of a command. */
export interface Flag {
  /** The placeholder for its value in the usage; null: the flag has no value. */
  readonly value: string | null
  /** `either`: exactly one of the command's flags of this kind must be given. `some`: at least one, each repeatedly. */
  readonly presence: 'optional' | 'required' | 'either' | 'some'
  /** Whether an empty value is allowed, to clear a setting. */
  readonly mayBeEmpty: boolean
}

/** A flag with a value. */
export function text(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { value, presence, mayBeEmpty: false }
}

/** A flag with a value, which clears a setting when it is empty. */
export function clearable(value: string): Flag {
  return { value, presence: 'optional', mayBeEmpty: true }
}

/** A flag without a value. */
export function mark(presence: Flag['presence'] = 'optional'): Flag {
  return { value: null, presence, mayBeEmpty: false }
}

/** One command for operators. Parsing, `help` and the manual's table are all derived from this record. */
export interface Command {
  /** The words by which it is called. */
  readonly words: readonly string[]
  /** The names of the positional arguments. All are required, except one in brackets at the end. */
  readonly positionals: readonly string[]
  /** The flags by name, without the dashes, in the order of the usage. */
  readonly flags: Readonly<Record<string, Flag>>
  /** Its purpose in one line, in the imperative. */
  readonly summary: string
  /** Further explanations, line by line. */
  readonly details: readonly string[]
  /** The operations of the operator interface that it may call. */
  readonly operations: readonly OperationEndpoint[]
  readonly run: (context: Context, given: Arguments) => Promise<void>
}

/** Flags of every command, which choose the service. */
export const serviceFlags = {
  url: text('URL'),
  key: text('KEY'),
  remote: mark(),
} as const satisfies Command['flags']

/** The arguments of a command in the form in which its usage shows them. */
export function synopsisOf({ positionals, flags }: Pick<Command, 'positionals' | 'flags'>): string {
  const written = Object.entries(flags).map(([name, { value, presence }]) => {
    return { presence, usage: value === null ? `--${name}` : `--${name} ${value}` }
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

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
  /** `either`: exactly one of the command's flags of this kind must be given. `some`: at least one of them. */
  readonly presence: 'optional' | 'required' | 'either' | 'some'
  /** Whether an empty value is allowed, to clear a setting. */
  readonly mayBeEmpty: boolean
  /** Whether it may be given several times; left out: once at most. */
  readonly isRepeatable?: true
}

/** A flag with a value. */
export function text(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { value, presence, mayBeEmpty: false }
}

/** A flag with a value, which clears a setting when it is empty. */
export function clearable(value: string): Flag {
  return { value, presence: 'optional', mayBeEmpty: true }
}

/** A flag with a value that may be given several times. */
export function many(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { ...text(value, presence), isRepeatable: true }
}

/** A flag without a value. */
export function mark(presence: Flag['presence'] = 'optional'): Flag {
  return { value: null, presence, mayBeEmpty: false }
}

/** One command for operators. Parsing, `help` and the manual's table are all derived from this record. */
export interface Command {
  /** The words by which it is called. */
  readonly words: readonly string[]
  /** The names of the positional arguments. One in brackets, such as `[FILE]`, may be left out. */
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

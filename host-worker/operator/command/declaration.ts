import type { OperationEndpoint } from '../../../domain/record/operation/operation.ts'

/** One flag of a command. */
export interface Flag {
  /** The placeholder for its value in the usage; null: the flag has no value. */
  readonly value: string | null
  /** `either`: exactly one of the command's flags of this kind must be given. `some`: at least one of them. */
  readonly presence: 'optional' | 'required' | 'either' | 'some'
  /** Whether an empty value is allowed, to clear a setting. */
  readonly mayBeEmpty: boolean
  /** The words that its value can be; null: any text. */
  readonly choices: readonly string[] | null
  /** Whether it may be given several times; left out: once at most. */
  readonly isRepeatable?: true
}

/** What is known of a command without running it: parsing, `help`, completion and the manual's table need no more. */
export interface Declaration {
  /** The words by which it is called. */
  readonly words: readonly string[]
  /** The names of the positional arguments. One in brackets, such as `[FILE]`, may be left out. */
  readonly positionals: readonly string[]
  /** The words that positional arguments can be, by their names; left out: any text. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** The flags by name, without the dashes, in the order of the usage. */
  readonly flags: Readonly<Record<string, Flag>>
  /** Its purpose in one line, in the imperative. */
  readonly summary: string
  /** Further explanations, line by line. */
  readonly details: readonly string[]
  /** What follows the words in typical calls. */
  readonly examples: readonly string[]
  /** The operations of the operator interface that it may call. */
  readonly operations: readonly OperationEndpoint[]
}

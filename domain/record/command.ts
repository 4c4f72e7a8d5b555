import type * as v from 'valibot'

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
  /** The parameter of the operation's path or query, or the key of its body, that it sets; left out: none. */
  readonly sets?: string
  /**
   * Reads its text into what the operation takes; left out: it takes the text. Each message is the rest of a sentence
   * that begins with the flag.
   */
  readonly read?: v.GenericSchema<string, unknown>
  /** What a flag without a value stands for; left out: true. */
  readonly is?: unknown
}

/** A flag with a value. A placeholder of words (`yes|no`) names all that it can be. */
export function text(value: string, presence: Flag['presence'] = 'optional'): Flag {
  const choices = /^[a-z]+(?:\|[a-z]+)+$/.test(value) ? value.split('|') : null
  return { value, presence, mayBeEmpty: false, choices }
}

/** A flag whose value is one of some words, too many for its placeholder. */
export function choice(value: string, choices: readonly string[]): Flag {
  return { ...text(value), choices }
}

/** A flag with a value, which clears a setting when it is empty. */
export function clearable(value: string): Flag {
  return { ...text(value), mayBeEmpty: true }
}

/** A flag with a value that may be given several times. */
export function many(value: string, presence: Flag['presence'] = 'optional'): Flag {
  return { ...text(value, presence), isRepeatable: true }
}

/**
 * A flag without a value.
 * @param is what it stands for; left out: true
 */
export function mark(presence: Flag['presence'] = 'optional', is?: unknown): Flag {
  return { value: null, presence, mayBeEmpty: false, choices: null, is }
}

/** Says which parameter, or key of the body, a flag sets, and how its text is read. */
export function sets(name: string, flag: Flag, read?: Flag['read']): Flag {
  return { ...flag, sets: name, ...(read === undefined ? {} : { read }) }
}

/** The flag that names an organization. */
export function ofOrganization(presence: Flag['presence'] = 'required'): Flag {
  return sets('organizationId', text('ID', presence))
}

/** What is known of a command without running it: parsing, `help`, completion and the manual's table need no more. */
export interface CommandWords {
  /** The words by which it is called. */
  readonly words: readonly string[]
  /**
   * The names of the positional arguments. One in brackets, such as `[FILE]`, may be left out; a last one with dots, such
   * as `ID…`, may be given several times. Of an operation's command they are the parameters of its path that no flag sets,
   * in their order, and then what it takes several of.
   */
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
}

/** The values of a command's flags by name, without the dashes. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** What a command has called an operation with, and where. */
export interface Called {
  readonly values: FlagValues
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** What the operation in `before` answered; null: the command has none, or there was nothing. */
  readonly before: unknown
  /** The address of the service. */
  readonly url: string
}

/** What a command says of an answer. */
export interface Said {
  /** Results, for standard output. */
  readonly out?: readonly string[]
  /** Lines for the person at the terminal. */
  readonly notes?: readonly string[]
  /** Why the command fails all the same, said last; null and left out: it does not. */
  readonly failure?: string | null
}

/** The head of a column. */
export interface Head {
  readonly head: string
  /** Whether its cells may be cut to fit a terminal. Ids and instants never are: they are for copying. */
  readonly mayBeCut?: boolean
}

/** A column of a listing. */
export interface Column<Item> extends Head {
  readonly of: (item: Item) => string | number | null
  /** Whether the head stands before the value in a pipe, where there is no line of heads. */
  readonly isNamed?: boolean
  /** Whether a pipe has nothing at all where the value is missing. Only for the last columns. */
  readonly isOmitted?: boolean
}

/** How a command prints a list. */
export interface Listed {
  /** What goes to a pipe: one JSON object a line, as with --json; left out: the columns. */
  readonly piped?: 'json'
  /** How many are shown without --limit; left out: all. */
  readonly shown?: { readonly count: number; readonly which: 'newest' | 'oldest' }
}

/** The sheet that --csv prints. */
interface CommandSheet<Operation, Item> {
  /** Shows what the columns follow from. */
  readonly of: Operation
  /** The parameters of its path that the flags do not set, for each call of it. */
  readonly calls: (items: readonly Item[], values: FlagValues) => readonly Readonly<Record<string, string>>[]
  /**
   * The rows, the first of which has the heads.
   * @param shown what that operation answered to each call; null: there was nothing
   */
  readonly rows: (
    items: readonly Item[],
    shown: readonly unknown[],
    values: FlagValues,
  ) => readonly (readonly unknown[])[]
}

type ItemIn<Answer> = Answer extends { readonly data: readonly (infer Item)[] } ? Item : never

/**
 * What one operation answers to a command: how it is printed, or said. The functions are methods, so that a command of
 * any operation is a command of some.
 */
interface Answered<Operation, Answer> {
  /** The columns of a list; left out: it is none. */
  readonly columns?: readonly Column<ItemIn<Answer>>[]
  readonly sheet?: CommandSheet<Operation, ItemIn<Answer>>
  says?(answer: Answer, called: Called): Said | Promise<Said>
}

/**
 * The command of an operation: one runner reads the arguments, calls the operation and prints the answer, as this says.
 */
export interface OperatorCommand<Operation, Answer = never>
  extends
    Pick<CommandWords, 'words' | 'summary' | 'examples'>,
    // What is left out there is nothing.
    Partial<Pick<CommandWords, 'positionals' | 'flags' | 'details'>>,
    Answered<Operation, Answer>,
    Listed {
  /** The key of the body that the argument after those of the path sets; left out: there is none. */
  readonly argument?: string
  /** The key of the body that the last argument sets, of which there may be several; left out: there is none. */
  readonly several?: string
  /** What the body has at every call. */
  readonly body?: Readonly<Record<string, unknown>>
  /** The operations that are called in place of this one, by the flag that chooses them. */
  readonly instead?: Readonly<
    // An answer of another operation than this one; its functions are checked where they are written.
    Record<string, Answered<Operation, never> & { readonly operation: Operation }>
  >
  /** Shows the organization of a filter, which it refuses when there is none: the list would merely be empty. */
  readonly mustExist?: Operation
  /** Shows what is there before the change. */
  readonly before?: Operation
  /** What is wrong with the flags together; null: nothing. */
  readonly problem?: (values: FlagValues) => string | null
  /** What the same call is sent with again, in the body or else in the query, to go on; null: it is done. */
  again?(answer: Answer): Readonly<Record<string, string>> | null
  /** An answer together with those before it. */
  sum?(before: Answer, answer: Answer): unknown
}

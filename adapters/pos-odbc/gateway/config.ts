import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import * as v from 'valibot'
import { SOURCE_NAME, SOURCE_NAME_FORM } from '../../../domain/pos/index.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import { CURRENCY_CODE } from '../../../domain/record/field.ts'
import { isJsonObject } from '../../../domain/text/encoding.ts'
import { SOURCE_KINDS, type SourceKind } from '../protocol.ts'
import { SECRET_LENGTH_MIN } from '../secret-length.ts'
import { isTimeZone } from './codec.ts'
import { hasOwnDatabases, MAPPINGS, type DialectName } from './mappings.ts'

export interface GatewayConfig {
  readonly listen: {
    readonly host: string
    readonly port: number
    /** Whether only requests to a name of this machine are answered, as on a developer's machine. */
    readonly localOnly?: boolean
  }
  /** The shared secret; during a rotation the previous one, too. */
  readonly secrets: readonly string[]
  readonly sources: readonly SourceConfig[]
}

export interface SourceConfig {
  readonly kind: SourceKind
  /** Null where the kind needs no name, or a folder gives the names. */
  readonly name: string | null
  readonly place: SourcePlace
  readonly dialect: DialectName
  readonly timeZone: string
  readonly currency: string
  /** The maximum number of connections at once. */
  readonly connections: number
  /** The longest time that a request may take at the source, waiting for a connection included, in milliseconds. */
  readonly deadlineMs: number
  /** The maximum number of rows of a page. */
  readonly rowsMax: number
  /** The maximum number of rows in the lists of a page. */
  readonly listRowsMax: number
}

/** Where a source's rows are. */
type SourcePlace =
  | { readonly driver: 'odbc'; readonly connectionString: string }
  | { readonly driver: 'sqlite'; readonly file: string }
  /** Each `NAME.sqlite` in the folder is a source with that name, as soon as the file exists. */
  | { readonly driver: 'sqlite'; readonly directory: string }

/** What a configuration is read from: its text, the files and variables that it names, and the ODBC driver manager. */
export interface ConfigInput extends Files {
  readonly text: string
  /** The folder that relative paths start from. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Why the ODBC driver manager cannot be used; null: it can. */
  readonly odbcProblem: () => string | null
}

interface Files {
  readonly readText: (path: string) => TextReading
  readonly isFile: (path: string) => boolean
  readonly isDirectory: (path: string) => boolean
}

/** The text of a file, or why there is none, as the end of a sentence that begins with the file's name. */
type TextReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly problem: string }

/** The files of this machine. */
export const localFiles: Files = {
  readText(path) {
    try {
      return { kind: 'text', text: readFileSync(path, 'utf8') }
    } catch (error) {
      // Such as "ENOENT: no such file or directory, open '/etc/gateway.json'".
      const [reason] = (error instanceof Error ? error.message : String(error)).split(',')
      return { kind: 'unreadable', problem: `cannot be read (${reason})` }
    }
  },
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
}

/** The configuration, or everything that is wrong with it, each in a sentence that carries no secret. */
export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: GatewayConfig }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

/** Reads and checks the configuration: a JSON file, and the secrets from the environment or files that it names. */
export function parseConfig(input: ConfigInput): ParsedConfig {
  let json: unknown
  try {
    json = JSON.parse(input.text)
  } catch (error) {
    return {
      kind: 'problems',
      problems: [`The configuration is no JSON: ${error instanceof Error ? error.message : String(error)}`],
    }
  }
  const parsed = v.safeParse(fileSchema(input), json)
  const { secrets, problems } = secretsOf(input)
  if (!parsed.success) return { kind: 'problems', problems: [...problemsOf(parsed.issues), ...problems] }
  if (problems.length > 0) return { kind: 'problems', problems }
  return { kind: 'config', config: { ...parsed.output, secrets } }
}

/** What is wrong, each in a sentence that begins with the place, such as `sources[0].name`. */
function problemsOf(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  return issues.map(({ path = [], message }) => {
    const place = path.reduce(
      (before, { key }) => `${before}${typeof key === 'number' ? `[${key}]` : `.${String(key)}`}`,
      '',
    )
    return `${place === '' ? 'The configuration' : place.slice(1)} ${message}`
  })
}

function secretsOf({ environment, readText }: ConfigInput): {
  readonly secrets: readonly string[]
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  const current = secretOf('POS_GATEWAY_SECRET')
  const previous = secretOf('POS_GATEWAY_SECRET_PREVIOUS')
  if (current === null) problems.push('POS_GATEWAY_SECRET (or POS_GATEWAY_SECRET_FILE) is not set')
  return { secrets: [current, previous].filter((secret) => secret !== null), problems }

  function secretOf(name: string): string | null {
    const path = environment[`${name}_FILE`] ?? ''
    const value = environment[name] ?? ''
    if (value !== '' && path !== '') problems.push(`${name} and ${name}_FILE are both set; set one`)
    const read = path === '' ? ({ kind: 'text', text: value } as const) : readText(path)
    if (read.kind === 'unreadable') {
      problems.push(`${name}_FILE ${read.problem}`)
      return null
    }
    const secret = path === '' ? value : read.text.trim()
    if (secret === '') return null
    if (secret.length < SECRET_LENGTH_MIN)
      problems.push(`${name} must have at least ${SECRET_LENGTH_MIN} characters`)
    return secret
  }
}

const EMPTY = 'must be a text that is not empty'
const UNKNOWN_KEY = 'is not a known key here'

/** An object and no list, which the library's own schemas of objects accept too. */
const NoList = v.custom<object>(isJsonObject, 'must be an object')

/** A text that is not empty. */
const Text = v.pipe(v.string(EMPTY), v.nonEmpty(EMPTY))

/** One of these texts. The message for a missing key lists them too. */
function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  problem = `must be one of ${choices.join(', ')}`,
) {
  return v.pipe(v.optional(v.string(problem), ''), v.picklist(choices, problem))
}

/** A whole number within bounds; `fallback` where the key is left out. */
function wholeNumber(min: number, max: number, fallback: number) {
  const problem = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.nullish(v.number(problem), fallback),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, problem),
  )
}

/** An object with these keys and no others: any other key is most likely a typo. */
function settings<const Entries extends v.ObjectEntries>(entries: Entries) {
  const keyProblem = ({ expected }: v.StrictObjectIssue) =>
    expected === 'never' ? UNKNOWN_KEY : 'is missing'
  return v.pipe(NoList, v.strictObject(entries, keyProblem))
}

const Listen = settings({
  host: v.optional(Text, '127.0.0.1'),
  port: wholeNumber(0, 65_535, 8790),
  localOnly: v.exactOptional(v.boolean('must be true or false')),
})

function fileSchema(input: ConfigInput) {
  const problem = 'must be a list with at least one source'
  const sources = v.pipe(
    v.optional(v.array(sourceSchema(input), problem), []),
    v.nonEmpty(problem),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const message of conflictsOf(dataset.value)) addIssue({ message })
    }),
  )
  return settings({ listen: v.nullish(Listen, {}), sources })
}

/** Conflicts between sources, each as the end of a sentence that begins with `sources`. */
function conflictsOf(sources: readonly SourceConfig[]): readonly string[] {
  const shared = repeated(sources.flatMap(({ kind }) => (hasOwnDatabases(kind) ? [] : [kind])))
  const names = repeated(sources.map(({ kind, name }) => (name === null ? null : `${kind} ${name}`)))
  const folders = repeated(sources.map(({ kind, place }) => ('directory' in place ? kind : null)))
  return [
    ...shared.map(
      (kind) => `has more than one source of kind ${kind}; there is one for all its organizations`,
    ),
    ...names.map((name) => `has more than one source of the name ${name.split(' ')[1] ?? ''}`),
    ...folders.map(() => 'has more than one source with a directory'),
  ]
}

function repeated<Value extends string>(values: readonly (Value | null)[]): readonly Value[] {
  const found = values.filter((value) => value !== null)
  return [...new Set(found.filter((value, index) => found.indexOf(value) !== index))]
}

const Choice = v.pipe(NoList, v.object({ kind: oneOf(SOURCE_KINDS), driver: oneOf(['odbc', 'sqlite']) }))

/** A source: its kind, its driver and whether it is a folder decide which other keys it has. */
function sourceSchema(input: ConfigInput): v.GenericSchema<unknown, SourceConfig> {
  return v.lazy((given): v.GenericSchema<unknown, SourceConfig> => {
    const choice = v.safeParse(Choice, given)
    // Without a valid choice, the other allowed keys are unknown. So only the choice is checked here, and it fails.
    if (!choice.success) return v.pipe(Choice, v.never())
    const { kind, driver } = choice.output
    if (driver === 'odbc') return odbcSource(kind, input)
    const isFolder = hasOwnDatabases(kind) && Object.hasOwn(given as object, 'directory')
    return isFolder ? folderSource(kind, input) : fileSource(kind, input)
  })
}

const Currency = v.pipe(Text, v.regex(CURRENCY_CODE, 'must be a code of ISO 4217, such as USD'))
const TimeZone = v.pipe(Text, v.check(isTimeZone, 'is no time zone, such as America/Chicago'))
const Name = v.pipe(Text, v.regex(SOURCE_NAME, `must be ${SOURCE_NAME_FORM}`))

function common(kind: SourceKind, takesName: boolean) {
  return {
    kind: v.literal(kind),
    name: onlyIf(takesName && hasOwnDatabases(kind), Name),
    // The organizations that share a database may be in different time zones, so the database records UTC only.
    timeZone: onlyIf(hasOwnDatabases(kind), TimeZone),
    currency: Currency,
    connections: wholeNumber(1, 64, 4),
    deadlineMs: wholeNumber(50, 60_000, 5_000),
    rowsMax: wholeNumber(PAGE_ROWS_MAX, 10_000, 1_000),
    listRowsMax: wholeNumber(1, 1_000_000, 50_000),
  }
}

type Common = v.InferOutput<v.StrictObjectSchema<ReturnType<typeof common>, undefined>>

function sourceOf(given: Common, dialect: DialectName, place: SourcePlace): SourceConfig {
  return { ...given, name: given.name ?? null, timeZone: given.timeZone ?? 'UTC', dialect, place }
}

function folderSource(kind: SourceKind, { directory: base, isDirectory }: ConfigInput) {
  const driver = v.literal('sqlite')
  const directory = v.pipe(Text, pathFrom(base), v.check(isDirectory, 'is no folder'))
  return v.pipe(
    settings({ ...common(kind, false), driver, directory }),
    v.transform(({ driver, directory, ...rest }) => sourceOf(rest, 'sqlite', { driver, directory })),
  )
}

function fileSource(kind: SourceKind, { directory, isFile }: ConfigInput) {
  const driver = v.literal('sqlite')
  const problem = 'is no file; create the database from the schema first'
  const file = v.pipe(Text, pathFrom(directory), v.check(isFile, problem))
  return v.pipe(
    settings({ ...common(kind, true), driver, file }),
    v.transform(({ driver, file, ...rest }) => sourceOf(rest, 'sqlite', { driver, file })),
  )
}

function odbcSource(kind: SourceKind, input: ConfigInput) {
  const entries = {
    ...common(kind, true),
    driver: driverOf(input),
    dialect: dialectOf(kind),
    connection: Connection,
    passwordFile: v.optional(passwordInFile(input)),
    passwordVariable: v.optional(passwordInVariable(input)),
  }
  return v.pipe(
    settings(entries),
    v.transform(({ driver, dialect, connection, passwordFile, passwordVariable, ...rest }) => {
      const connectionString = withPassword(connection, passwordFile ?? passwordVariable ?? null)
      return sourceOf(rest, dialect, { driver, connectionString })
    }),
  )
}

function driverOf({ odbcProblem }: ConfigInput) {
  return v.pipe(
    v.literal('odbc'),
    v.rawCheck(({ addIssue }) => {
      const problem = odbcProblem()
      if (problem === null) return
      addIssue({ message: `is odbc, but the package odbc is not installed beside the gateway (${problem})` })
    }),
  )
}

function dialectOf(kind: SourceKind) {
  const { dialects } = MAPPINGS[kind]
  return dialects.length > 1
    ? oneOf(dialects)
    : oneOf(dialects, `must be ${dialects[0]}: there is no other schema of ${kind}`)
}

const Connection = v.pipe(
  Text,
  v.check(
    (text) => !/(?:^|;)\s*(?:pwd|password)\s*=/i.test(text),
    'holds a password; name a file or a variable with it: passwordFile, passwordVariable',
  ),
)

function passwordInFile({ directory, readText }: ConfigInput): v.GenericSchema<unknown, string> {
  return v.pipe(
    Text,
    pathFrom(directory),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const read = readText(dataset.value)
      if (read.kind === 'text') return read.text.trim()
      addIssue({ message: read.problem })
      return NEVER
    }),
  )
}

function passwordInVariable({ environment }: ConfigInput): v.GenericSchema<unknown, string> {
  return v.pipe(
    Text,
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const password = environment[dataset.value]
      if (password !== undefined) return password
      addIssue({ message: `names ${dataset.value}, which is not set` })
      return NEVER
    }),
  )
}

/** ODBC quotes a value in braces; a closing brace within is doubled. */
function withPassword(connection: string, password: string | null): string {
  return password === null ? connection : `${connection};PWD={${password.replaceAll('}', '}}')}}`
}

function pathFrom(directory: string) {
  return v.transform((path: string) => resolve(directory, path))
}

/** The value of a key that is allowed under a condition only. Otherwise it is refused like any unknown key. */
function onlyIf<Value>(
  condition: boolean,
  schema: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, Value | undefined> {
  return condition ? schema : v.exactOptional(v.never(UNKNOWN_KEY))
}

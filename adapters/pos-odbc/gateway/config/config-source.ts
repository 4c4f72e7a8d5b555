import { resolve } from 'node:path'
import * as v from 'valibot'
import { SOURCE_NAME, SOURCE_NAME_FORM } from '../../../../domain/pos/index.ts'
import { PAGE_ROWS_MAX } from '../../../../domain/record/endpoint.ts'
import { CURRENCY_CODE } from '../../../../domain/record/field.ts'
import { SOURCE_KINDS, type SourceKind } from '../../protocol.ts'
import type { DialectName } from '../families/family.ts'
import { FAMILIES, hasOwnDatabases } from '../families/index.ts'
import { isTimeZone } from '../values/local-time.ts'
import { onlyIf, oneOf, settings, settingsAmongOthers, Text, wholeNumber } from './config-words.ts'
import type { Files } from './files.ts'

/** Where a source's rows are. */
export type SourcePlace =
  | { readonly driver: 'odbc'; readonly connectionString: string }
  | { readonly driver: 'sqlite'; readonly file: string }
  /** Each `NAME.sqlite` in the folder is a source with that name, as soon as the file exists. */
  | { readonly driver: 'sqlite'; readonly directory: string }

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

/** The surroundings to which a source's configuration refers: a folder, files and the ODBC driver manager. */
export interface Surroundings extends Files {
  /** The folder that relative paths start from. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Why the ODBC driver manager cannot be used; null: it can. */
  readonly odbcProblem: () => string | null
}

const Choice = settingsAmongOthers({ kind: oneOf(SOURCE_KINDS), driver: oneOf(['odbc', 'sqlite']) })

/** A source: its kind, its driver and whether it is a folder decide which other keys it has. */
export function sourceSchema(surroundings: Surroundings): v.GenericSchema<unknown, SourceConfig> {
  return v.lazy((given): v.GenericSchema<unknown, SourceConfig> => {
    const choice = v.safeParse(Choice, given)
    // Without a valid choice, the other allowed keys are unknown. So only the choice is checked here, and it fails.
    if (!choice.success) return v.pipe(Choice, v.never())
    const { kind, driver } = choice.output
    if (driver === 'odbc') return odbcSource(kind, surroundings)
    const isFolder = hasOwnDatabases(kind) && Object.hasOwn(given as object, 'directory')
    return isFolder ? folderSource(kind, surroundings) : fileSource(kind, surroundings)
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

function folderSource(kind: SourceKind, { directory: base, isDirectory }: Surroundings) {
  const driver = v.literal('sqlite')
  const directory = v.pipe(Text, pathFrom(base), v.check(isDirectory, 'is no folder'))
  return v.pipe(
    settings({ ...common(kind, false), driver, directory }),
    v.transform(({ driver, directory, ...rest }) => sourceOf(rest, 'sqlite', { driver, directory })),
  )
}

function fileSource(kind: SourceKind, { directory, isFile }: Surroundings) {
  const driver = v.literal('sqlite')
  const problem = 'is no file; create the database from the schema first'
  const file = v.pipe(Text, pathFrom(directory), v.check(isFile, problem))
  return v.pipe(
    settings({ ...common(kind, true), driver, file }),
    v.transform(({ driver, file, ...rest }) => sourceOf(rest, 'sqlite', { driver, file })),
  )
}

function odbcSource(kind: SourceKind, surroundings: Surroundings) {
  const entries = {
    ...common(kind, true),
    driver: driverOf(surroundings),
    dialect: dialectOf(kind),
    connection: Connection,
    passwordFile: v.optional(passwordInFile(surroundings)),
    passwordVariable: v.optional(passwordInVariable(surroundings)),
  }
  return v.pipe(
    settings(entries),
    v.transform(({ driver, dialect, connection, passwordFile, passwordVariable, ...rest }) => {
      const connectionString = withPassword(connection, passwordFile ?? passwordVariable ?? null)
      return sourceOf(rest, dialect, { driver, connectionString })
    }),
  )
}

function driverOf({ odbcProblem }: Surroundings) {
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
  const { dialects } = FAMILIES[kind]
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

function passwordInFile({ directory, readText }: Surroundings): v.GenericSchema<unknown, string> {
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

function passwordInVariable({ environment }: Surroundings): v.GenericSchema<unknown, string> {
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

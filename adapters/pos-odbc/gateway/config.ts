import { resolve } from 'node:path'
import type { SourceKind } from '../protocol.ts'
import { SECRET_LENGTH_MIN, SOURCE_KINDS } from '../protocol.ts'
import { ConfigReader } from './config-reader.ts'
import type { DialectName } from './dialect.ts'
import { DIALECT_NAMES } from './dialect.ts'
import { isTimeZone } from './local-time.ts'

/** Where a source's rows are. */
export type Place =
  | { readonly driver: 'odbc'; readonly connectionString: string }
  | { readonly driver: 'sqlite'; readonly file: string }
  /** Each `NAME.sqlite` in the folder is a source of that name, as soon as it is there. */
  | { readonly driver: 'sqlite'; readonly directory: string }

export interface SourceConfig {
  readonly kind: SourceKind
  /** Null where the kind needs no name, or a folder gives the names. */
  readonly name: string | null
  readonly place: Place
  readonly dialect: DialectName
  readonly timeZone: string
  readonly currency: string
  /** Most connections at once. */
  readonly connections: number
  /** Longest that a request may take at the source, waiting for a connection included, in milliseconds. */
  readonly deadlineMs: number
  /** Most rows of a page. */
  readonly rowsMax: number
  /** Most rows in the lists of a page. */
  readonly listRowsMax: number
}

export interface GatewayConfig {
  readonly listen: { readonly host: string; readonly port: number }
  /** The shared secret; during a rotation the one before, too. */
  readonly secrets: readonly string[]
  readonly sources: readonly SourceConfig[]
}

/** What the configuration is read from. */
export interface ConfigInput {
  readonly text: string
  /** The folder that relative paths in it start from. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a file, or null when it cannot be read. */
  readonly readText: (path: string) => string | null
  readonly isFile: (path: string) => boolean
  readonly isDirectory: (path: string) => boolean
  /** Why the ODBC driver manager cannot be used; null: it can. */
  readonly odbcProblem: () => string | null
}

/** The configuration, or everything that is wrong with it, each in a sentence that carries no secret. */
export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: GatewayConfig }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

/** Reads and checks the configuration: a JSON file, and the secrets from the environment or files that it names. */
export function parseConfig(input: ConfigInput): ParsedConfig {
  const problems: string[] = []
  let json: unknown
  try {
    json = JSON.parse(input.text)
  } catch (error) {
    return { kind: 'problems', problems: [`The configuration is no JSON: ${(error as Error).message}`] }
  }
  const reader = new ConfigReader(json, '', problems)
  const listen = new ConfigReader(reader.raw('listen') ?? {}, 'listen', problems)
  const config: GatewayConfig = {
    listen: {
      host: listen.text('host', '127.0.0.1'),
      port: listen.integer('port', { min: 0, max: 65_535, fallback: 8790 }),
    },
    sources: sourcesOf(reader.raw('sources'), input, problems),
    secrets: secretsOf(input, problems),
  }
  listen.finish()
  reader.finish()
  return problems.length === 0 ? { kind: 'config', config } : { kind: 'problems', problems }
}

function sourcesOf(value: unknown, input: ConfigInput, problems: string[]): readonly SourceConfig[] {
  if (!Array.isArray(value) || value.length === 0) {
    problems.push('sources must be a list with at least one source')
    return []
  }
  const sources = value.map((each, index) =>
    sourceOf(new ConfigReader(each, `sources[${index}]`, problems), input),
  )
  if (sources.filter(({ kind }) => kind === 'odbc_shared').length > 1) {
    problems.push(
      'sources has more than one source of kind odbc_shared; there is one for all its organizations',
    )
  }
  const names = sources.flatMap(({ kind, name }) => (kind === 'odbc_second' && name !== null ? [name] : []))
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    problems.push(`sources has more than one source of the name ${name}`)
  }
  if (sources.filter(({ place }) => 'directory' in place).length > 1) {
    problems.push('sources has more than one source with a directory')
  }
  return sources
}

function sourceOf(reader: ConfigReader, input: ConfigInput): SourceConfig {
  const kind = reader.oneOf('kind', SOURCE_KINDS)
  const place = placeOf(reader, kind, input)
  const source: SourceConfig = {
    kind,
    name: nameOf(reader, kind, place),
    place,
    dialect: place.driver === 'sqlite' ? 'sqlite' : reader.oneOf('dialect', DIALECT_NAMES),
    timeZone: timeZoneOf(reader, kind),
    currency: currencyOf(reader),
    connections: reader.integer('connections', { min: 1, max: 64, fallback: 4 }),
    deadlineMs: reader.integer('deadlineMs', { min: 50, max: 60_000, fallback: 5_000 }),
    rowsMax: reader.integer('rowsMax', { min: 1, max: 10_000, fallback: 1_000 }),
    listRowsMax: reader.integer('listRowsMax', { min: 1, max: 1_000_000, fallback: 50_000 }),
  }
  if (kind === 'odbc_second' && source.dialect === 'postgresql') {
    reader.problem('dialect', 'must be sqlite: there is no other schema of odbc_second')
  }
  reader.finish()
  return source
}

function placeOf(reader: ConfigReader, kind: SourceKind, input: ConfigInput): Place {
  const driver = reader.oneOf('driver', ['odbc', 'sqlite'])
  if (driver === 'odbc') {
    const problem = input.odbcProblem()
    if (problem !== null) {
      reader.problem(
        'driver',
        `is odbc, but the package odbc is not installed beside the gateway (${problem})`,
      )
    }
    return { driver, connectionString: connectionStringOf(reader, input) }
  }
  if (kind === 'odbc_second' && reader.has('directory')) {
    const directory = resolve(input.directory, reader.text('directory'))
    if (!input.isDirectory(directory)) reader.problem('directory', 'is no folder')
    return { driver, directory }
  }
  const file = resolve(input.directory, reader.text('file'))
  if (!input.isFile(file)) reader.problem('file', 'is no file; create the database from the schema first')
  return { driver, file }
}

/** The connection string with the password, which stands in a file or a variable of its own. */
function connectionStringOf(reader: ConfigReader, input: ConfigInput): string {
  const connection = reader.text('connection')
  if (/(?:^|;)\s*(?:pwd|password)\s*=/i.test(connection)) {
    reader.problem(
      'connection',
      'holds a password; name a file or a variable with it: passwordFile, passwordVariable',
    )
  }
  const password = passwordOf(reader, input)
  // ODBC quotes a value in braces; a closing brace within is doubled.
  return password === null ? connection : `${connection};PWD={${password.replaceAll('}', '}}')}}`
}

function passwordOf(reader: ConfigReader, input: ConfigInput): string | null {
  if (reader.has('passwordFile')) {
    const password = input.readText(resolve(input.directory, reader.text('passwordFile')))
    if (password === null) reader.problem('passwordFile', 'cannot be read')
    return password?.trim() ?? null
  }
  if (!reader.has('passwordVariable')) return null
  const name = reader.text('passwordVariable')
  const password = input.environment[name]
  if (password === undefined) reader.problem('passwordVariable', `names ${name}, which is not set`)
  return password ?? null
}

/** What names of sources look like; they become names of files, too. */
export const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

function nameOf(reader: ConfigReader, kind: SourceKind, place: Place): string | null {
  if (kind === 'odbc_shared' || 'directory' in place) return null
  const name = reader.text('name')
  if (name !== '' && !SOURCE_NAME.test(name)) {
    reader.problem('name', 'must be up to 64 letters, digits, - and _, the first a letter or a digit')
  }
  return name
}

function timeZoneOf(reader: ConfigReader, kind: SourceKind): string {
  // The shared source's organizations may live in different zones, so it records UTC alone.
  if (kind === 'odbc_shared') return 'UTC'
  const timeZone = reader.text('timeZone')
  if (timeZone !== '' && !isTimeZone(timeZone))
    reader.problem('timeZone', 'is no time zone, such as America/Chicago')
  return timeZone
}

function currencyOf(reader: ConfigReader): string {
  const currency = reader.text('currency')
  if (currency !== '' && !/^[A-Z]{3}$/.test(currency))
    reader.problem('currency', 'must be a code of ISO 4217, such as USD')
  return currency
}

function secretsOf({ environment, readText }: ConfigInput, problems: string[]): readonly string[] {
  const current = secretOf('POS_GATEWAY_SECRET')
  const previous = secretOf('POS_GATEWAY_SECRET_PREVIOUS')
  if (current === null) problems.push('POS_GATEWAY_SECRET (or POS_GATEWAY_SECRET_FILE) is not set')
  return [current, previous].filter((secret) => secret !== null)

  function secretOf(name: string): string | null {
    const path = environment[`${name}_FILE`] ?? ''
    const value = environment[name] ?? ''
    if (value !== '' && path !== '') problems.push(`${name} and ${name}_FILE are both set; set one`)
    const secret = path === '' ? value : (readText(path)?.trim() ?? null)
    if (secret === null) problems.push(`${name}_FILE cannot be read`)
    if (secret === null || secret === '') return null
    if (secret.length < SECRET_LENGTH_MIN)
      problems.push(`${name} must have at least ${SECRET_LENGTH_MIN} characters`)
    return secret
  }
}

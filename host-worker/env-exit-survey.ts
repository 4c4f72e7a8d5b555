import type { Reader } from './env-reader.ts'
import { isSafeUrl } from './env-reader.ts'

/** The ClickHouse that holds events of the exit survey. */
export interface ClickHouseSettings {
  readonly baseUrl: string
  readonly user: string
  readonly password: string
  readonly database: string
  readonly table: string
}

const required = ['CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD'] as const
const optional = ['CLICKHOUSE_DATABASE', 'CLICKHOUSE_TABLE'] as const

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

/** Reads where the exit survey is kept. Null: nothing is configured, and it is in this service's own database. */
export function readClickHouse({ text, problem }: Reader): ClickHouseSettings | null {
  if ([...required, ...optional].every((name) => text(name) === '')) return null
  for (const name of required) {
    if (text(name) === '') problem(`${name} is missing: other CLICKHOUSE variables are set`)
  }
  const url = text('CLICKHOUSE_URL')
  if (url !== '' && !isRoot(url))
    problem('CLICKHOUSE_URL must be an https URL without path, query or account')
  const nameOf = (variable: (typeof optional)[number], usual: string): string => {
    const name = text(variable) === '' ? usual : text(variable)
    if (!NAME.test(name)) problem(`${variable} must be a plain name`)
    return name
  }
  return {
    baseUrl: url.replace(/\/$/, ''),
    user: text('CLICKHOUSE_USER'),
    password: text('CLICKHOUSE_PASSWORD'),
    database: nameOf('CLICKHOUSE_DATABASE', 'default'),
    table: nameOf('CLICKHOUSE_TABLE', 'exit_survey_events'),
  }
}

/** The account travels in headers, and everything behind the host is the query's. */
function isRoot(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && isSafeUrl(parsed) && [parsed.origin, `${parsed.origin}/`].includes(url)
}

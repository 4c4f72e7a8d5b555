import * as v from 'valibot'
import { group, isSafeUrl, required, text, whenSet } from './variables.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

function nameOr(usual: string) {
  return v.pipe(
    text,
    whenSet((given) => NAME.test(given), 'must be a plain name'),
    v.transform((given) => (given === '' ? usual : given)),
  )
}

/**
 * Whether a URL has no user name, password, path or query. The account is sent in headers, and the request has its own
 * path and query.
 */
function isRoot(given: string): boolean {
  const url = URL.parse(given)
  return isSafeUrl(url) && [url.origin, `${url.origin}/`].includes(given)
}

const entries = {
  CLICKHOUSE_URL: v.pipe(
    required('CLICKHOUSE'),
    whenSet(isRoot, 'must be an https URL without path, query or account'),
  ),
  CLICKHOUSE_USER: required('CLICKHOUSE'),
  CLICKHOUSE_PASSWORD: required('CLICKHOUSE'),
  CLICKHOUSE_DATABASE: nameOr('default'),
  CLICKHOUSE_TABLE: nameOr('exit_survey_events'),
}

/** The ClickHouse database with events of the exit survey. Null: the events are in the service's own database. */
export const ClickHouse = group(
  Object.keys(entries),
  {},
  v.pipe(
    v.object(entries),
    v.transform((given) => ({
      baseUrl: given.CLICKHOUSE_URL.replace(/\/$/, ''),
      user: given.CLICKHOUSE_USER,
      password: given.CLICKHOUSE_PASSWORD,
      database: given.CLICKHOUSE_DATABASE,
      table: given.CLICKHOUSE_TABLE,
    })),
  ),
)

import * as v from 'valibot'
import { readLimited } from '../../domain/limits/body.ts'
import { parsedOr } from '../../domain/text/encoding.ts'
import type { InstantRange } from '../../ports/analytics.ts'
import type { ExitSurveySource, ReasonCounts } from '../../ports/sources.ts'
import type { SourceFailure } from '../../ports/records.ts'

export interface ClickHouseOptions {
  /** The root of the HTTP interface: `https://analytics.example.com:8443`. */
  readonly baseUrl: string
  /** A user that can read the table and nothing else; see `schema.sql` beside this file. */
  readonly user: string
  readonly password: string
  readonly database: string
  readonly table: string
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** The only query. All values, including the organization, are sent as parameters. */
const QUERY = `SELECT reason_code AS code, count() AS selections
FROM {database:Identifier}.{table:Identifier} FINAL
WHERE organization_id = {organization:String}
  AND occurred_at >= fromUnixTimestamp64Milli({start_ms:Int64}, 'UTC')
  AND occurred_at <= fromUnixTimestamp64Milli({end_ms:Int64}, 'UTC')
GROUP BY reason_code
FORMAT JSON`

/** More bytes than an answer with the reason codes of any survey takes. */
const ANSWER_MAX_BYTES = 4_000_000

/** What DateTime64 can hold, in ms since the epoch: the years 1900 to 2299. */
const FIRST_MS = Date.parse('1900-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('2299-12-31T23:59:59.999Z')

/** A count: a number or, depending on the server's settings, its digits in quotes. */
const Count = v.union([
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.pipe(v.string(), v.digits(), v.transform(Number), v.safeInteger()),
])
const Answer = v.object({
  data: v.array(v.object({ code: v.string(), selections: Count })),
  rows: v.number(),
})

/**
 * Events of the exit survey in ClickHouse, over its HTTP interface. A query is sent by GET, which the server itself
 * treats as read-only whoever the user is.
 */
export function createClickHouseExitSurvey(options: ClickHouseOptions): ExitSurveySource {
  return {
    open: (organizationId) => ({
      async countReasons(range, signal) {
        const bounds = boundsOf(range)
        if (bounds === null) return { kind: 'counts', counts: [] }
        try {
          const response = await options.fetch(urlOf(options, organizationId, bounds), {
            headers: { 'X-ClickHouse-User': options.user, 'X-ClickHouse-Key': options.password },
            // Following a redirect would send the password to another host.
            redirect: 'manual',
            signal,
          })
          return await countsOf(response, signal)
        } catch (cause) {
          return { ...unavailable('The analytics database did not answer.'), cause }
        }
      },
    }),
  }
}

interface Bounds {
  readonly startMs: number
  readonly endMs: number
}

/** The range, limited to what the column can hold; null: nothing of the range remains. */
function boundsOf({ start, end }: InstantRange): Bounds | null {
  const startMs = start === null ? FIRST_MS : Math.max(FIRST_MS, Date.parse(start))
  const endMs = end === null ? LAST_MS : Math.min(LAST_MS, Date.parse(end))
  return startMs > endMs ? null : { startMs, endMs }
}

function urlOf(
  { baseUrl, database, table }: ClickHouseOptions,
  organizationId: string,
  { startMs, endMs }: Bounds,
): string {
  const parameters = new URLSearchParams({
    query: QUERY,
    param_database: escaped(database),
    param_table: escaped(table),
    param_organization: escaped(organizationId),
    param_start_ms: String(startMs),
    param_end_ms: String(endMs),
    // With this setting the server waits until the query has ended, so the HTTP status tells whether it failed.
    wait_end_of_query: '1',
  })
  return `${baseUrl}/?${parameters.toString()}`
}

/**
 * Escapes a parameter's value. The server reads it as tab-separated data, in which a backslash precedes backslashes and
 * control characters.
 */
function escaped(value: string): string {
  const names: Readonly<Record<string, string>> = {
    '\\': '\\\\',
    '\t': '\\t',
    '\n': '\\n',
    '\r': '\\r',
    '\0': '\\0',
  }
  return value.replaceAll(/[\\\t\n\r\0]/g, (character) => names[character] ?? character)
}

async function countsOf(response: Response, signal: AbortSignal): Promise<ReasonCounts> {
  if (response.status !== 200) {
    // The text of the error may quote the query and the server's own names.
    await response.body?.cancel()
    return unavailable(`The analytics database answered with status ${response.status}.`)
  }
  const read = response.body === null ? null : await readLimited(response.body, ANSWER_MAX_BYTES, signal)
  if (read?.kind === 'incomplete') {
    return { ...unavailable('The analytics database broke off its answer.'), cause: read.cause }
  }
  if (read?.kind === 'too_large') {
    return unavailable(`The analytics database answered with more than ${ANSWER_MAX_BYTES} bytes.`)
  }
  const text = read === null ? '' : new TextDecoder().decode(read.bytes)
  const answer = v.safeParse(Answer, parsedOr(text, null))
  // When the server fails while it sends rows, the text of its error follows them, so the answer is not JSON. An answer
  // that holds fewer rows than it announces is incomplete too.
  if (!answer.success || answer.output.rows !== answer.output.data.length) {
    return unavailable('The analytics database answered with something that is no result.')
  }
  const counts = answer.output.data.map(({ code, selections }) => ({ code, count: selections }))
  return { kind: 'counts', counts }
}

function unavailable(reason: string): SourceFailure {
  return { kind: 'unavailable', reason }
}

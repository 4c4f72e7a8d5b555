import type { SurveyEvent } from '../../../adapters/conformance/analytics.ts'
import { openStandIn, type StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts'

export const CLICKHOUSE_USER = 'tenant_data_api'
export const CLICKHOUSE_PASSWORD = 'clickhouse-test-password'

/** A query of ClickHouse's HTTP interface: the text, and the values of its parameters by name. */
export interface HttpQuery {
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Parses a request; null when it is not a query that only reads. Values are encoded as in tab-separated data. */
export function queryOf({ method, path }: Pick<StandInRequest, 'method' | 'path'>): HttpQuery | null {
  const { pathname, searchParams } = new URL(path, 'http://clickhouse.invalid')
  const text = searchParams.get('query')
  if (method !== 'GET' || pathname !== '/' || text === null) return null
  const named = [...searchParams].filter(([name]) => name.startsWith('param_'))
  const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0' }
  const unescaped = (value: string) =>
    value.replaceAll(/\\(.)/gs, (_, character: string) => escapes[character] ?? character)
  const parameters = Object.fromEntries(
    named.map(([name, value]) => [name.slice('param_'.length), unescaped(value)]),
  )
  return { text, parameters }
}

/** Whether a request has the account that the stand-ins accept. */
export function isReader(headers: StandInRequest['headers']): boolean {
  return (
    headers['x-clickhouse-user'] === CLICKHOUSE_USER && headers['x-clickhouse-key'] === CLICKHOUSE_PASSWORD
  )
}

/**
 * A stand-in for ClickHouse that supports only this service's query, which it answers from events in memory.
 * test/ci/clickhouse/clickhouse.sh runs the same cases on the real engine.
 */
export async function openClickHouse(): Promise<
  StandIn & { deliver(organizationId: string, events: readonly SurveyEvent[]): void }
> {
  const events = new Map<string, Map<string, SurveyEvent>>()
  const work = (request: StandInRequest): StandInAnswer => {
    if (!isReader(request.headers)) return { status: 403, body: 'Code: 516. Authentication failed' }
    const query = queryOf(request)
    if (query === null) return { status: 500, body: 'Code: 62. Syntax error' }
    const { organization = '', start_ms: startMs, end_ms: endMs } = query.parameters
    const counts = new Map<string, number>()
    for (const { reasonCode, occurredAt } of events.get(organization)?.values() ?? []) {
      const atMs = Date.parse(occurredAt)
      if (atMs < Number(startMs) || atMs > Number(endMs)) continue
      counts.set(reasonCode, (counts.get(reasonCode) ?? 0) + 1)
    }
    const data = [...counts].map(([code, selections]) => ({ code, selections }))
    return { status: 200, body: { meta: [], data, rows: data.length, statistics: {} } }
  }
  return Object.assign(await openStandIn(work), {
    deliver(organizationId: string, delivered: readonly SurveyEvent[]) {
      const known = events.get(organizationId) ?? new Map<string, SurveyEvent>()
      for (const event of delivered) known.set(`${event.occurredAt} ${event.eventId}`, event)
      events.set(organizationId, known)
    },
  })
}

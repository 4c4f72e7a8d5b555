import * as v from 'valibot'
import { InstantInput } from '../../domain/record/field.ts'
import { pageOfGroups, positionOfGroup, type Group } from '../../domain/read/page.ts'
import type { SourceGroups } from '../../ports/sources.ts'
import type { GroupsQuery, Predicate, Scalar, SourceRefusal } from '../../ports/records.ts'
import { unavailable } from './client.ts'

const DAY_MS = 86_400_000

/** For longer windows Dub returns months, not days. */
const DAYS_MAX = 180

const count = v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0)
const sums = {
  clicks: count,
  leads: count,
  sales: count,
  saleAmount: v.optional(v.pipe(v.number(), v.safeInteger()), 0),
}
const VALUE_MAX_LENGTH = 500
const value = v.pipe(v.string(), v.maxLength(VALUE_MAX_LENGTH))

/**
 * Dub's name for a grouping, the key under which its values come, and how they are read (Dub's documentation, "Retrieve
 * analytics").
 */
interface Grouping {
  readonly groupBy: string
  readonly key: string
  readonly schema: v.GenericSchema<unknown, string>
}

const named = (groupBy: string, key: string): Grouping => ({ groupBy, key, schema: value })

/** The grouping at Dub for each field of link events by which rows can be grouped. */
const groupings: Readonly<Record<string, Grouping>> = {
  // For short windows Dub returns hours; they are grouped by the day of their instant.
  day: {
    groupBy: 'timeseries',
    key: 'start',
    schema: v.pipe(
      InstantInput,
      v.transform((instant) => instant.slice(0, 10)),
    ),
  },
  linkId: named('top_links', 'id'),
  country: named('countries', 'country'),
  city: named('cities', 'city'),
  device: named('devices', 'device'),
  browser: named('browsers', 'browser'),
  os: named('os', 'os'),
  referrer: named('referers', 'referer'),
}

/** The values that Dub uses for "unknown". */
const UNKNOWN: ReadonlySet<string> = new Set(['', 'Unknown', '(direct)'])

const boundOf = ({ where }: GroupsQuery, field: string, operator: Predicate['operator']): Scalar | null =>
  where.find((predicate) => predicate.field === field && predicate.operator === operator)?.value ?? null

/** The parameters of Dub's analytics endpoint for a query for groups, or why Dub cannot serve it. */
export function analyticsQuery(query: GroupsQuery, tenantId: string): URLSearchParams | SourceRefusal {
  const linkId = boundOf(query, 'linkId', 'equals')
  const start = String(boundOf(query, 'occurredAt', 'atLeast'))
  const end = String(boundOf(query, 'occurredAt', 'below'))
  const endMs = Date.parse(end)
  // Dub takes the end of a window for the whole UTC day that contains it.
  if (endMs % DAY_MS !== 0)
    return refusal('below', 'must be at 00:00 UTC: the link service counts whole days')
  if (query.by === 'day' && endMs - Date.parse(start) > DAYS_MAX * DAY_MS) {
    const allowed = `must be at most ${DAYS_MAX} days before end when grouped by day: the link service counts months then`
    return refusal('atLeast', allowed)
  }
  return new URLSearchParams({
    event: 'composite',
    groupBy: groupings[query.by]?.groupBy ?? '',
    tenantId,
    ...(linkId === null ? {} : { linkId: String(linkId) }),
    start,
    // Dub includes the whole day of the window's end, so what is sent is the last millisecond before the given
    // midnight.
    end: new Date(endMs - 1).toISOString(),
    timezone: 'UTC',
  })
}

function refusal(operator: Predicate['operator'], allowed: string): SourceRefusal {
  return { kind: 'unsupported', field: 'occurredAt', operator, allowed }
}

/** Returns a reader of a group's value, under the key that this grouping has. */
function namedValue({ key, schema }: Grouping) {
  return v.pipe(
    v.object({ [key]: schema }),
    v.transform((given) => ({ text: given[key] ?? '' })),
  )
}

/** The requested page, cut out of all groups in Dub's answer. */
export function groupsInAnswer(body: unknown, query: GroupsQuery): SourceGroups {
  const grouping = groupings[query.by]
  if (grouping === undefined) throw new Error(`Links are not grouped by ${query.by}`)
  const reading = v.safeParse(v.array(v.intersect([v.object(sums), namedValue(grouping)])), body)
  if (!reading.success) return unavailable('The link service answered with something that is no analytics.')
  const groups = new Map<string | null, Group>()
  for (const { text, saleAmount, ...found } of reading.output) {
    const group = UNKNOWN.has(text) ? null : text
    const before = groups.get(group)
    // Cities with the same name in several regions are one group here.
    const add = (name: string, more: number) => Number(before?.[name] ?? 0) + more
    groups.set(group, {
      value: group,
      clicks: add('clicks', found.clicks),
      leads: add('leads', found.leads),
      sales: add('sales', found.sales),
      saleAmountCents: add('saleAmountCents', saleAmount),
    })
  }
  const happened = [...groups.values()].filter((group) => query.sums.some((name) => group[name] !== 0))
  const page = pageOfGroups(happened, { ...query, limit: query.limit + 1 })
  const rows = page.slice(0, query.limit)
  const last = page.length > rows.length ? rows.at(-1) : undefined
  return { kind: 'groups', rows, next: last === undefined ? null : positionOfGroup(last, query.sums[0]) }
}

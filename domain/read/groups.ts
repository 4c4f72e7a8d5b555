import type { GroupPosition, GroupsQuery, Position, Predicate, StoredRow } from '../../ports/records.ts'
import { decodeCursor, FOREIGN_CURSOR, nextCursorOf, type CursorScope } from './cursor.ts'
import { readLimit, problem, readFilters, readParameters, type QueryProblem } from './query.ts'
import { toInstant } from '../text/instant.ts'
import type { GroupsEndpoint } from '../record/endpoint.ts'
import { WINDOW_DAYS } from '../record/filter.ts'
import { parentQuery, type Planner } from './plan.ts'
import { errorReply } from '../record/reply.ts'
import { pageReply } from '../record/page.ts'

const DAY_MS = 86_400_000

/** The grouping and the time window: instants, with the end excluded. */
interface Grouped {
  readonly groupBy: string
  readonly start: string
  readonly end: string
}

/** The query parameters of a read of groups, in the order in which they are documented. */
function groupsParameters({ filters }: GroupsEndpoint): readonly string[] {
  return ['limit', 'cursor', ...Object.keys(filters)]
}

/**
 * Plans a page of groups. Its cursor carries the grouping and the window, so that the defaults of the first page hold
 * for the following pages, however late they are read. A parameter that is passed again must have the same value.
 */
export const planGroups: Planner<GroupsEndpoint> = async (endpoint, request, phoneCountry, secrets) => {
  const parameters = readParameters(request.query, groupsParameters(endpoint))
  if (parameters.kind === 'problem') return refusal(parameters)
  const filters = await readFilters(endpoint.filters, parameters.given, phoneCountry)
  if (filters.kind === 'problem') return refusal(filters)
  if (filters.kind === 'needs_country') return filters
  const given = givenOf(filters.echo)

  const parentId = endpoint.parent === null ? null : (request.params[endpoint.parent.param] ?? '')
  const scope: CursorScope = { organizationId: request.organizationId, endpointId: endpoint.id, parentId }
  const token = parameters.given.get('cursor')
  const cursor = token === undefined ? null : await decodeCursor(token, scope, secrets)
  if (token !== undefined && cursor === null) return refusal(problem(FOREIGN_CURSOR))
  const asked =
    cursor === null
      ? withDefaults(given, endpoint.defaultGrouping, request.nowMs)
      : continued(given, cursor.order)
  if ('kind' in asked) return refusal(asked)

  const limit = readLimit(parameters.limits, endpoint.maxLimit)
  const query = groupsQuery(endpoint, asked, parentId, limit, groupPosition(cursor?.position ?? null))
  return {
    kind: 'groups',
    parent: endpoint.parent === null ? null : parentQuery(endpoint.parent, parentId ?? ''),
    query,
    answer: async ({ rows, next }) =>
      pageReply({
        organizationId: request.organizationId,
        filters: { ...asked },
        data: rows.map((row) => JSON.stringify(published(endpoint, asked.groupBy, parentId, row))),
        limit,
        nextCursor: await nextCursorOf({ order: nameOf(asked), position: positionOf(next) }, scope, secrets),
      }),
  }
}

/** The grouping and window as the caller gave them; null: left out. */
type Given = { readonly [Part in keyof Grouped]: string | null }

function givenOf(echo: Readonly<Record<string, unknown>>): Given {
  const textOf = (name: keyof Grouped) => {
    const value = echo[name]
    return typeof value === 'string' ? value : null
  }
  return { groupBy: textOf('groupBy'), start: textOf('start'), end: textOf('end') }
}

function withDefaults(given: Given, defaultGrouping: string, nowMs: number): Grouped | QueryProblem {
  const endMs = given.end === null ? (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS : Date.parse(given.end)
  const end = given.end ?? toInstant(endMs)
  const start = given.start ?? earliest(endMs - WINDOW_DAYS * DAY_MS)
  if (start >= end) return problem('Parameter end must be later than start.')
  return { groupBy: given.groupBy ?? defaultGrouping, start, end }
}

/**
 * The instant, but no earlier than the year 0. Instants are compared as text, and those of earlier years have another
 * form.
 */
function earliest(ms: number): string {
  return toInstant(Math.max(ms, Date.parse('0000-01-01T00:00:00.000Z')))
}

/** The grouping and the window of the previous page. */
function continued(given: Given, name: string): Grouped | QueryProblem {
  const [groupBy = '', start = '', end = ''] = name.split(' ')
  const before: Grouped = { groupBy, start, end }
  const changed = (['groupBy', 'start', 'end'] as const).find(
    (part) => given[part] !== null && given[part] !== before[part],
  )
  return changed === undefined
    ? before
    : problem(
        `Parameter ${changed} must be ${before[changed]}, as on the page before, or left out with a cursor.`,
      )
}

/** The text that identifies a grouping and its window in a cursor. */
function nameOf({ groupBy, start, end }: Grouped): string {
  return `${groupBy} ${start} ${end}`
}

function groupsQuery(
  { filters, groups, parent }: GroupsEndpoint,
  { groupBy, start, end }: Grouped,
  parentId: string | null,
  limit: number,
  after: GroupPosition | null,
): GroupsQuery {
  const { collection, sums, groupings, dayGrouping } = groups
  const of: readonly Predicate[] =
    parent === null || parentId === null ? [] : [{ field: parent.param, operator: 'equals', value: parentId }]
  const window = Object.entries({ start, end }).flatMap(([name, value]) => {
    const bound = filters[name]
    return bound === undefined ? [] : [{ field: bound.field, operator: bound.operator, value }]
  })
  return {
    kind: 'groups',
    collection,
    by: groupings[groupBy] ?? groupBy,
    where: [...of, ...window],
    sums,
    order: groupBy === dayGrouping ? 'value' : 'sum',
    after,
    limit,
  }
}

function published(
  { groups: { sums, idGrouping } }: GroupsEndpoint,
  groupBy: string,
  parentId: string | null,
  row: StoredRow,
): StoredRow {
  const id = parentId ?? (groupBy === idGrouping.grouping ? row.value : null)
  return {
    [idGrouping.field]: id,
    dimension: groupBy,
    value: row.value,
    ...Object.fromEntries(sums.map((name) => [name, row[name]])),
  }
}

/** A cursor's position must be text, but a group's value may be null. Therefore a value that is text gets this mark. */
const MARK = '='

function positionOf(next: GroupPosition | null): Position | null {
  return next === null ? null : { value: next.sum, id: next.value === null ? '' : MARK + next.value }
}

function groupPosition(position: Position | null): GroupPosition | null {
  if (position === null) return null
  return { sum: Number(position.value), value: position.id === '' ? null : position.id.slice(MARK.length) }
}

function refusal({ error }: QueryProblem) {
  return { kind: 'refusal', reply: errorReply(400, error) } as const
}

import type { GroupsEndpoint } from '../../domain/record/endpoint.ts'
import type { JsonObject } from './values/drawn.ts'
import type { Model, ModelRow } from './model/model-row.ts'
import { valueOf } from './model/model.ts'

/** The time between these instants has most of the rows that are drawn. */
export const WINDOW = { start: '2024-06-01T00:00:00.000Z', end: '2026-06-01T00:00:00.000Z' }

/** The groups of an endpoint that a naive writer makes, in their order: by days, or the largest first. */
export function groupsOf(
  { groups, resource }: GroupsEndpoint,
  rows: readonly ModelRow[],
  model: Model,
  groupBy: string,
  parentId: string | null,
): readonly JsonObject[] {
  const { collection, at, sums, groupings, dayGrouping, idGrouping } = groups
  const field = groupings[groupBy] ?? ''
  const numberOf = (name: string, row: ModelRow) => Number(valueOf(name, row, model, collection))
  const within = rows.filter((row) => String(row[at]) >= WINDOW.start && String(row[at]) < WINDOW.end)
  const values = [...new Set(within.map((row) => valueOf(field, row, model, collection) as string | null))]
  const made = values.map((value) => {
    const members = within.filter((row) => valueOf(field, row, model, collection) === value)
    const totals = sums.map(
      (name) => [name, members.reduce((sum, row) => sum + numberOf(name, row), 0)] as const,
    )
    const id = parentId ?? (groupBy === idGrouping.grouping ? value : null)
    const group: JsonObject = {
      [idGrouping.field]: id,
      dimension: groupBy,
      value,
      ...Object.fromEntries(totals),
    }
    return {
      value,
      first: Number(group[sums[0]]),
      group: Object.fromEntries(Object.keys(resource.fields).map((name) => [name, group[name]])),
    }
  })
  const byText = (left: string | null, right: string | null) =>
    left === null || right === null
      ? Number(left === null) - Number(right === null)
      : Buffer.compare(Buffer.from(left), Buffer.from(right))
  return made
    .toSorted((left, right) =>
      groupBy === dayGrouping
        ? byText(right.value, left.value)
        : right.first - left.first || byText(left.value, right.value),
    )
    .map(({ group }) => group)
}

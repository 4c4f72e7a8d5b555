import type { MovedRow, MovedTable, MovePlace } from '../../../ports/placement.ts'
import {
  comparedTables,
  isOver,
  isSameRow,
  ORGANIZATIONS,
  REMOVALS,
  rowsByKey,
  type Progress,
} from './rounds.ts'

/** The result of a step of comparing. */
type Compared =
  | { readonly kind: 'going'; readonly progress: Progress; readonly tables: number }
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly table: string; readonly organizationId: string }

/**
 * Compares a page of the source's rows, as they were at the switch, with those of the target, in which the family lives
 * now. A row of the target may differ if it was written since, or be missing if a removal says so since. The log of
 * sends and the removals are forgotten when they are old, so any of theirs may be missing.
 *
 * Tables without a clock are not compared: the last round read them on both sides.
 */
export async function compareStep(source: MovePlace, target: MovePlace, stored: Progress): Promise<Compared> {
  // A migration may have changed one place already. What it changes is not what a move could have lost.
  const [here, there] = await Promise.all([source.tables(), target.tables()])
  const known = new Set(there.map((table) => JSON.stringify(table)))
  const all = here.filter((table) => known.has(JSON.stringify(table)))
  const tables = comparedTables(all)
  const isFirst = isOver(stored, tables) && stored.comparedRows === 0 && !stored.isAgain
  const progress = isFirst ? { ...stored, next: 0, after: null, isAgain: true } : stored
  const of = progress.organizations[Math.floor(progress.next / tables.length)]
  const table = tables[progress.next % tables.length]
  if (of === undefined || table === undefined) return { kind: 'equal' }
  const { organizationId } = of
  const wanted = { table, organizationId, since: null, after: progress.after, rowsMax: source.rowsMax }
  const [page] = await source.read([wanted])
  const { rows = [], next = null } = page ?? {}
  const keys = rows.map((row) => row.slice(0, table.key.length))
  const [found = []] = rows.length === 0 ? [] : await target.find([{ table, keys }])
  const now = rowsByKey(table, found)
  const missing: MovedRow[] = []
  for (const [key, row] of rowsByKey(table, rows)) {
    const present = now.get(key)
    if (present === undefined) missing.push(row)
    else if (!isSameRow(row, present) && !isNewer(table, row, present, of.clockAt))
      return { kind: 'different', table: table.name, organizationId }
  }
  if (missing.length > 0 && !(await isRemoved(target, all, table, organizationId, of.clockAt, missing)))
    return { kind: 'different', table: table.name, organizationId }
  return {
    kind: 'going',
    tables: tables.length,
    progress: {
      ...progress,
      next: progress.next + (next === null ? 1 : 0),
      after: next,
      comparedRows: progress.comparedRows + rows.length,
    },
  }
}

/** Whether a row was written since an instant of the organization's clock. */
function isNewer(table: MovedTable, was: MovedRow, now: MovedRow, clockAt: string): boolean {
  const of = (row: MovedRow, column: string) => row[table.columns.indexOf(column)] ?? null
  const [at, before] = [of(now, 'updated_at'), of(was, 'version')]
  const version = of(now, 'version')
  return (
    // The log of sends takes the instant of the clock without moving it.
    (typeof at === 'string' && (table.name === 'sends' ? at >= clockAt : at > clockAt)) ||
    (typeof version === 'number' && typeof before === 'number' && version > before)
  )
}

/** Whether rows were removed from the target since an instant, each or with their organization. */
async function isRemoved(
  target: MovePlace,
  tables: readonly MovedTable[],
  table: MovedTable,
  organizationId: string,
  since: string,
  rows: readonly MovedRow[],
): Promise<boolean> {
  if (table.name === REMOVALS || table.name === 'sends') return true
  const left = new Set(rows.map((row) => JSON.stringify(row.slice(0, table.key.length))))
  const [removals, organizations] = [REMOVALS, ORGANIZATIONS].map((name) =>
    tables.find((one) => one.name === name),
  )
  if (removals === undefined || organizations === undefined) return false
  const [own = []] = await target.find([{ table: organizations, keys: [[organizationId]] }])
  if (own.length === 0) return true
  let after: MovedRow | null = null
  do {
    const [page]: readonly { readonly rows: readonly MovedRow[]; readonly next: MovedRow | null }[] =
      await target.read([{ table: removals, organizationId, since, after, rowsMax: target.rowsMax }])
    for (const named of await target.removedKeys(page?.rows ?? []))
      if (named.table === table.name) for (const key of named.keys) left.delete(JSON.stringify(key))
    after = page?.next ?? null
  } while (after !== null && left.size > 0)
  return left.size === 0
}

/**
 * A move copies as a tenant syncs: by what was written since an instant of each organization's clock, and by the
 * removals. The first round copies all rows; each later one copies what was written since the round before began, while
 * the source goes on serving. The last round is made in the same way while writes are paused.
 *
 * A round begins by moving each clock on. Whatever is written afterwards is at a later instant, and whatever was written
 * before was there to be read in the rounds before: so reading from that instant on misses nothing, whenever it is done.
 */
import * as v from 'valibot'
import type {
  MovedOrganization,
  MovedRow,
  MovedTable,
  MoveKey,
  MovePlace,
  RowsPage,
  RowsWanted,
  TableChanges,
  WriteOutcome,
  ShownProgress,
} from '../../../ports/placement.ts'
import { parseJson } from '../../text/encoding.ts'
import { TABLES_A_STEP } from './world.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const Position = v.nullable(v.pipe(v.array(v.nullable(v.union([v.string(), v.number()]))), v.readonly()))

const StoredProgress = v.object({
  /** The number of the round, from 0; the comparison after the switch has none. */
  round: count,
  organizations: v.array(
    v.object({
      organizationId: v.string(),
      restoreId: v.nullable(v.string()),
      /** What this round copies was written at this instant or later; null: all. */
      since: v.nullable(v.string()),
      /** The clock when this round began, or when writes were paused. */
      clockAt: v.string(),
      /** Whether it is no longer one of the family: its rows are deleted in the target. */
      isGone: v.boolean(),
      /** The tables of which all rows are compared in this round. */
      redo: v.array(v.string()),
    }),
  ),
  /** What is next: the number of a table of an organization, counted through all of them, and where in it. */
  next: count,
  after: Position,
  /** Rows that were written in this round, and in all. */
  written: count,
  copiedRows: count,
  comparedRows: count,
  /** How often rows were found different that should have been the same. */
  repairs: count,
  /** Whether another round is to come before the next attempt to switch. */
  isAgain: v.boolean(),
  /** The tables of which all rows are to be compared in the next round, by organization. */
  redo: v.record(v.string(), v.array(v.string())),
})

/** How far a move is. */
export type Progress = Readonly<v.InferOutput<typeof StoredProgress>>
type Copied = Progress['organizations'][number]

/**
 * Parses the progress that is stored with a move. Throws when it is not understood: during a deployment, another version
 * of the service may have worked on the same move, which can still be given up.
 */
export function parseProgress(text: string): Progress {
  const read = v.safeParse(StoredProgress, parseJson(text))
  if (!read.success)
    throw new Error('The progress of the move was stored by a version that this one does not understand')
  return read.output
}

/** The two places of a move, and who fills the target. */
export interface Sides {
  readonly moveId: string
  readonly mover: string
  readonly source: MovePlace
  readonly target: MovePlace
  readonly tables: readonly MovedTable[]
}

/**
 * Tables without a clock, whose rows are large: each round compares only their keys and these columns, and copies what
 * differs. The columns are those that tell that a row was changed. A form is among these tables because a change of its
 * organization's country raises its version and leaves `updated_at`. A version of a form never changes, but its form may be
 * removed and made again, with versions of the same numbers. The rows of an import never change.
 */
const COMPARED_BY: Readonly<Record<string, readonly string[]>> = {
  forms: ['version', 'updated_at'],
  form_versions: ['saved_at'],
  import_chunks: [],
  import_keys: [],
  import_contacts: ['touch'],
  import_parts: [],
  webhook_deliveries: ['changed_at', 'status', 'attempts'],
}
/** How many rows are compared at once for each that may be written at once, because reading takes so much less time. */
const COMPARED_TO_WRITTEN = 10
/** How many of these rows are copied at once. */
const LARGE_ROWS_AT_ONCE = 4

/** Counts that triggers keep of memberships, which may have been copied at another moment: they are always written. */
const COHORTS = 'membership_cohorts'

/**
 * Whether rows tell when they were written, by their organization's clock; an entry of the outbox tells it by that of
 * whoever works on it. The rows of other tables are what is open, or settings, so they are few: each round compares all
 * of them.
 */
function hasClock({ name, columns }: MovedTable): boolean {
  return columns.includes('updated_at') && name !== 'outbox' && !(name in COMPARED_BY)
}

export const REMOVALS = 'removals'
export const ORGANIZATIONS = 'organizations'

/**
 * The tables of a round in their order: what was removed first, and last those without a clock, which a trigger may fill
 * when a row of another table is inserted. An organization's own row is copied when all else is,
 * because nobody can use it, and no trigger derives anything for it, while its row is not there.
 */
export function tablesOfRound(tables: readonly MovedTable[]): readonly MovedTable[] {
  return tables
    .filter(({ name }) => name !== ORGANIZATIONS)
    .toSorted((left, right) => rank(left) - rank(right))
}

function rank(table: MovedTable): number {
  if (table.name === REMOVALS) return 0
  return hasClock(table) ? 1 : 2
}

/** The tables whose rows are compared after the switch: those whose rows tell that they were written since. */
export function comparedTables(tables: readonly MovedTable[]): readonly MovedTable[] {
  return tablesOfRound(tables).filter(hasClock)
}

/** The progress at the beginning of a round. */
export function nextRound(before: Progress | null, found: readonly MovedOrganization[]): Progress {
  const known = new Map(before?.organizations.map((one) => [one.organizationId, one]))
  const present = found.map(({ organizationId, clockAt, restoreId }): Copied => {
    const was = known.get(organizationId)
    // A restoration writes rows at earlier instants.
    const isKnown = was !== undefined && !was.isGone && was.restoreId === restoreId
    const since = isKnown ? was.clockAt : null
    return {
      organizationId,
      restoreId,
      since,
      clockAt,
      isGone: false,
      redo: before?.redo[organizationId] ?? [],
    }
  })
  const ids = new Set(found.map(({ organizationId }) => organizationId))
  const gone = [...known.values()].filter((one) => !one.isGone && !ids.has(one.organizationId))
  return {
    round: before === null ? 0 : before.round + 1,
    organizations: [...present, ...gone.map((one) => ({ ...one, isGone: true }))],
    next: 0,
    after: null,
    written: 0,
    copiedRows: before?.copiedRows ?? 0,
    comparedRows: 0,
    repairs: before?.repairs ?? 0,
    isAgain: false,
    redo: {},
  }
}

/** Whether a round has come to its end. */
export function isOver({ organizations, next }: Progress, tables: readonly MovedTable[]): boolean {
  return next >= organizations.length * tables.length
}

/** The result of a step: how far it came, or why it wrote nothing. */
type Stepped =
  | { readonly kind: 'written'; readonly progress: Progress }
  | { readonly kind: 'overtaken' | 'conflict' }

/** A table of an organization, and where a step begins to read it. */
interface Item {
  readonly of: Copied
  readonly wanted: RowsWanted
  /** Whether all rows of both sides are compared. */
  readonly isWhole: boolean
}

/**
 * Copies the next rows of a round: some tables, up to the first that has more rows than a page. What counts the rows of
 * others is copied after them, so a table is begun when those before it are done.
 * @param tables those of the round
 * @param tablesMax how many tables are read at once
 */
export async function copyStep(
  sides: Sides,
  progress: Progress,
  tables: readonly MovedTable[],
  tablesMax = TABLES_A_STEP,
): Promise<Stepped> {
  const rowsMax = Math.min(sides.source.rowsMax, sides.target.rowsMax)
  const items = itemsFrom(progress, tables, tablesMax, rowsMax)
  const wanted = items.map((item) => item.wanted)
  const pages = await sides.source.read(wanted)
  const read = items.map((item, index): Item & { readonly page: RowsPage } => {
    const page = pages[index] ?? { rows: [], next: null }
    return { ...item, page: item.of.isGone ? { rows: [], next: null } : page }
  })
  const first = read.findIndex(({ page }) => page.next !== null)
  const done = first < 0 ? read : read.slice(0, first + 1)
  const [differences, removed] = await Promise.all([
    differencesOf(
      sides,
      done.filter(({ isWhole }) => isWhole),
    ),
    removedIn(sides, tables, done),
  ])
  const large = done.filter(({ wanted }) => wanted.table.name in COMPARED_BY)
  const copied = await copyLarge(
    sides,
    large.flatMap((item) => differences.get(item) ?? []),
  )
  if (copied !== 'written') return { kind: copied }
  const changes = [
    ...(progress.next === 0 && progress.after === null ? closing(sides, progress) : []),
    ...removed,
    ...done
      .filter((item) => !large.includes(item))
      .map(
        (item): TableChanges =>
          differences.get(item) ?? { table: item.wanted.table, gone: [], rows: item.page.rows },
      ),
  ]
  const some = changes.filter(({ gone, rows }) => gone.length + rows.length > 0)
  const outcome = await writeAll(sides, some)
  if (outcome !== 'written') return { kind: outcome }
  const written = some.reduce((sum, { gone, rows }) => sum + gone.length + rows.length, 0)
  const after = done.at(-1)?.page.next ?? null
  const next = progress.next + done.length - (after === null ? 0 : 1)
  const counted = { written: progress.written + written, copiedRows: progress.copiedRows + written }
  return { kind: 'written', progress: { ...progress, ...counted, next, after } }
}

/** Writes changes in their order, not more rows at once than the target allows. */
async function writeAll(
  { target, moveId, mover }: Sides,
  changes: readonly TableChanges[],
): Promise<WriteOutcome> {
  for (const part of inParts(changes, target.rowsMax)) {
    const outcome = await target.write(moveId, mover, part)
    if (outcome !== 'written') return outcome
  }
  return 'written'
}

/** The changes in their order, in parts of a number of rows. */
function inParts(changes: readonly TableChanges[], rowsMax: number): readonly (readonly TableChanges[])[] {
  const parts: TableChanges[][] = []
  let room = 0
  const add = (table: MovedTable, kind: 'gone' | 'rows', all: readonly MovedRow[]) => {
    for (let start = 0; start < all.length;) {
      if (room === 0) {
        parts.push([])
        room = rowsMax
      }
      const some = all.slice(start, start + room)
      parts.at(-1)?.push({ table, gone: [], rows: [], [kind]: some })
      start += some.length
      room -= some.length
    }
  }
  for (const { table, gone, rows } of changes) {
    add(table, 'gone', gone)
    add(table, 'rows', rows)
  }
  return parts
}

/** Copies rows that differ in what is compared of them, a few at a time. */
async function copyLarge(sides: Sides, changes: readonly TableChanges[]): Promise<WriteOutcome> {
  const { source, target, moveId, mover, tables } = sides
  for (const { table: compared, gone, rows: found } of changes) {
    const table = tables.find(({ name }) => name === compared.name) ?? compared
    const keys = found.map((row) => keyOf(table, row))
    const deleted = await writeAll(sides, [{ table, gone, rows: [] }])
    if (deleted !== 'written') return deleted
    for (let start = 0; start < keys.length; start += LARGE_ROWS_AT_ONCE) {
      const [rows = []] = await source.find([{ table, keys: keys.slice(start, start + LARGE_ROWS_AT_ONCE) }])
      const written = await target.write(moveId, mover, [{ table, gone: [], rows }])
      if (written !== 'written') return written
    }
  }
  return 'written'
}

/** Deletes the organizations' own rows, which an attempt to switch may have copied that was given back. */
function closing({ tables }: Sides, { organizations }: Progress): readonly TableChanges[] {
  const gone = organizations.map(({ organizationId }) => [organizationId])
  return tables.filter(({ name }) => name === ORGANIZATIONS).map((table) => ({ table, gone, rows: [] }))
}

function itemsFrom(
  progress: Progress,
  tables: readonly MovedTable[],
  tablesMax: number,
  rowsMax: number,
): readonly Item[] {
  const end = Math.min(progress.next + tablesMax, progress.organizations.length * tables.length)
  return Array.from({ length: end - progress.next }, (_, offset): Item[] => {
    const [of, table] = itemAt(progress, tables, progress.next + offset)
    if (of === undefined || table === undefined) return []
    const columns = COMPARED_BY[table.name]
    const isWhole = of.isGone || !hasClock(table) || of.redo.includes(table.name)
    const since = isWhole ? null : of.since
    const after = offset === 0 ? progress.after : null
    return [
      {
        of,
        isWhole,
        wanted: {
          table: columns === undefined ? table : { ...table, columns: [...table.key, ...columns] },
          organizationId: of.organizationId,
          since,
          after,
          rowsMax: isWhole ? rowsMax * COMPARED_TO_WRITTEN : rowsMax,
        },
      },
    ]
  }).flat()
}

/** What a number stands for: first the removals of all organizations, then the other tables of each. */
function itemAt({ organizations }: Progress, tables: readonly MovedTable[], at: number) {
  if (at < organizations.length) return [organizations[at], tables[0]] as const
  const others = at - organizations.length
  const index = Math.floor(others / (tables.length - 1))
  return [organizations[index], tables[1 + (others % (tables.length - 1))]] as const
}

/** What makes the rows of the target the same as pages of all rows of the source. */
async function differencesOf(
  { target }: Sides,
  items: readonly (Item & { readonly page: RowsPage })[],
): Promise<ReadonlyMap<Item, TableChanges>> {
  const found = new Map(items.map((item) => [item, new Map<string, MovedRow>()]))
  let wanted = items.map((item) => ({ item, rows: { ...item.wanted, upTo: item.page.next } }))
  while (wanted.length > 0) {
    const pages = await target.read(wanted.map(({ rows }) => rows))
    wanted = wanted.flatMap(({ item, rows }, index) => {
      const { rows: there = [], next = null } = pages[index] ?? {}
      for (const [key, row] of rowsByKey(rows.table, there)) found.get(item)?.set(key, row)
      return next === null ? [] : [{ item, rows: { ...rows, after: next } }]
    })
  }
  return new Map(
    items.map((item) => {
      const { table } = item.wanted
      const here = rowsByKey(table, item.page.rows)
      const there = found.get(item) ?? new Map<string, MovedRow>()
      const gone = [...there].filter(([key]) => !here.has(key)).map(([, row]) => keyOf(table, row))
      // Writing other rows in the same step may change what counts them, after it was read here.
      const isCounting = table.name === COHORTS || item.of.redo.includes(table.name)
      const isWanted = ([key, row]: readonly [string, MovedRow]) =>
        isCounting || !isSameRow(there.get(key), row)
      return [item, { table, gone, rows: [...here].filter(isWanted).map(([, row]) => row) }]
    }),
  )
}

/** The rows that removals name and the source no longer has. */
async function removedIn(
  { source }: Sides,
  tables: readonly MovedTable[],
  items: readonly (Item & { readonly page: RowsPage })[],
): Promise<readonly TableChanges[]> {
  const removals = items.filter(
    ({ wanted, isWhole }) => wanted.table.name === REMOVALS && wanted.since !== null && !isWhole,
  )
  const named = await source.removedKeys(removals.flatMap(({ page }) => page.rows))
  const wanted = named.flatMap(({ table: name, keys }) =>
    tables.filter((table) => table.name === name).map((table) => ({ table, keys })),
  )
  if (wanted.length === 0) return []
  const found = await source.find(wanted)
  return wanted.map(({ table, keys }, index) => {
    const left = rowsByKey(table, found[index] ?? [])
    return { table, gone: keys.filter((key) => !left.has(JSON.stringify(key))), rows: [] }
  })
}

/** The key of a row, which is the beginning of its values. */
function keyOf(table: MovedTable, row: MovedRow): MoveKey {
  return row.slice(0, table.key.length)
}

/** Rows by the texts of their keys. */
export function rowsByKey(table: MovedTable, rows: readonly MovedRow[]): ReadonlyMap<string, MovedRow> {
  return new Map(rows.map((row) => [JSON.stringify(keyOf(table, row)), row]))
}

/** Whether two rows have the same values. */
export function isSameRow(left: MovedRow | undefined, right: MovedRow | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left.length === right.length && left.every((value, index) => value === right[index])
}

/** The progress in the form that is shown to operators. */
export function shownProgress({ copiedRows, comparedRows, next }: Progress, tables: number): ShownProgress {
  return { copiedRows, comparedRows, table: tables === 0 ? 0 : next % tables, tables, pausedMs: null }
}

import type {
  JournalEntry,
  MovedRow,
  MovedTable,
  TableChanges,
  WantedRows,
} from '../../../../ports/placement/move.ts'
import { fill, type Filled, type Filling } from './filling.ts'
import { isSameRow, keyText, rowsByKey } from '../keys.ts'
import { comparedAnew, isReached, type Progress } from '../progress.ts'
import { changedSum, EMPTY_SUM } from '../sums.ts'

/** A row that was written, and the first journal entry that names it. */
interface Written {
  readonly key: JournalEntry['key']
  readonly seq: number
}

/** Applies the oldest entries of the journal to the target. `taken`: how many entries there were. */
export async function drainJournal(
  filling: Filling,
  limit: number,
): Promise<Filled & { readonly taken: number }> {
  const { journalId, source } = filling
  const entries = await source.readJournal(journalId, limit)
  const last = entries.at(-1)
  if (last === undefined) return { kind: 'filled', filling, taken: 0 }
  const written = writtenRows(filling, entries)
  const outcome = await copyWritten(filling, written)
  if (outcome.kind !== 'filled') return { ...outcome, taken: entries.length }
  const upTo = Math.min(last.seq, ...outcome.left.map(({ seq }) => seq - 1))
  await source.forgetJournal(journalId, upTo)
  return { ...outcome, taken: entries.length }
}

/**
 * The rows that journal entries name, each once. Rows that the pass has not reached are skipped, because it will still
 * read them.
 */
function writtenRows(
  { tables, progress }: Filling,
  entries: readonly JournalEntry[],
): ReadonlyMap<MovedTable, readonly Written[]> {
  const places = new Map(tables.map((table, index) => [table.name, index]))
  const rows = new Map<MovedTable, Map<string, Written>>()
  for (const { table: name, key, seq } of entries) {
    const index = places.get(name) ?? -1
    const table = tables[index]
    if (table === undefined) throw new Error(`The journal names ${name}, which does not move`)
    if (progress.pass === 'copy' && !isReached(progress, index, key)) continue
    const ofTable = rows.get(table) ?? new Map<string, Written>()
    rows.set(table, ofTable)
    if (!ofTable.has(keyText(key))) ofTable.set(keyText(key), { key, seq })
  }
  return new Map([...rows].map(([table, byKey]) => [table, [...byKey.values()]]))
}

/** A table's rows in the source and in the target, by the texts of their keys. */
interface Sides {
  readonly table: MovedTable
  readonly keys: readonly Written['key'][]
  readonly now: ReadonlyMap<string, MovedRow>
  readonly there: ReadonlyMap<string, MovedRow>
}

/** Copies the present state of rows. `left`: rows that did not fit into one answer. */
async function copyWritten(
  filling: Filling,
  written: ReadonlyMap<MovedTable, readonly Written[]>,
): Promise<
  (Filled & { kind: 'filled'; readonly left: readonly Written[] }) | Exclude<Filled, { kind: 'filled' }>
> {
  const wanted = [...written].map(([table, rows]): WantedRows => ({
    table,
    keys: rows.map(({ key }) => key),
  }))
  if (wanted.length === 0) return { kind: 'filled', filling, left: [] }
  const found = await filling.source.readRows(wanted)
  const there = await filling.target.readRows(wanted)
  const sides = wanted.map(({ table, keys }, index): Sides => {
    const lookedUp = Math.min(found[index]?.lookedUp ?? 0, there[index]?.lookedUp ?? 0)
    return {
      table,
      keys: keys.slice(0, lookedUp),
      now: rowsByKey(table, found[index]?.rows ?? []),
      there: rowsByKey(table, there[index]?.rows ?? []),
    }
  })
  const left = sides.flatMap(({ table, keys }) => (written.get(table) ?? []).slice(keys.length))
  const changes = sides.map(changesOf).filter(({ deletes, inserts }) => deletes.length + inserts.length > 0)
  if (changes.length === 0) return { kind: 'filled', filling, left }
  const filled = await fill(filling, drained(filling, sides), changes)
  if (filled.kind !== 'filled') return filled
  return confirmed(filled.filling, sides, left)
}

function changesOf({ table, keys, now, there }: Sides): TableChanges {
  const changed = keys.filter((key) => !isSameRow(now.get(keyText(key)), there.get(keyText(key))))
  return {
    table,
    deletes: changed.filter((key) => there.has(keyText(key))),
    inserts: rowsOf(changed.map(keyText), now),
  }
}

function rowsOf(keys: readonly string[], rows: ReadonlyMap<string, MovedRow>): readonly MovedRow[] {
  return keys.map((key) => rows.get(key)).filter((row) => row !== undefined)
}

/** The progress with updated sums: they contain the present state of rows that had been compared before. */
function drained({ progress, tables }: Filling, sides: readonly Sides[]): Progress {
  if (progress.pass === 'copy') return progress
  const sums = { ...progress.sums }
  for (const { table, keys, now, there } of sides) {
    const counted = keys.filter((key) => isReached(progress, tables.indexOf(table), key)).map(keyText)
    const sum = sums[table.name] ?? EMPTY_SUM
    sums[table.name] = changedSum(sum, rowsOf(counted, now), rowsOf(counted, there))
  }
  return { ...progress, sums }
}

/** Reads the written rows again. If the target has not stored them exactly, all rows are compared again. */
async function confirmed(filling: Filling, sides: readonly Sides[], left: readonly Written[]) {
  const wanted = sides.map(({ table, keys }): WantedRows => ({ table, keys }))
  const stored = await filling.target.readRows(wanted)
  const isStored = sides.every(({ table, keys, now }, index) => {
    const rows = rowsByKey(table, stored[index]?.rows ?? [])
    const lookedUp = keys.slice(0, stored[index]?.lookedUp ?? 0)
    return lookedUp.every((key) => isSameRow(rows.get(keyText(key)), now.get(keyText(key))))
  })
  if (isStored || filling.progress.pass === 'copy') return { kind: 'filled', filling, left } as const
  const anew = await fill(filling, comparedAnew(filling.progress), [])
  return anew.kind === 'filled' ? { ...anew, left } : anew
}

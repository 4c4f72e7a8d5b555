import type { Move, MoveLedger } from '../../../ports/placement/move-ledger.ts'
import type { MovedRow, MovedTable } from '../../../ports/placement/move.ts'
import type { OwnPlace, PlaceDirectory } from '../../../ports/placement/placement.ts'
import type { Mutant } from '../service/universe.ts'

/** Rows of the outbox without the leases of the workers that hold them. */
function withoutLease(table: MovedTable, rows: readonly MovedRow[]): readonly MovedRow[] {
  if (table.name !== 'outbox') return rows
  const [lease, due, created] = ['lease_token', 'next_attempt_at', 'created_at'].map((column) =>
    table.columns.indexOf(column),
  )
  return rows.map((row) =>
    row[lease ?? 0] === null
      ? row
      : row.map((value, index) => {
          if (index === lease) return null
          return index === due ? (row[created ?? 0] ?? null) : value
        }),
  )
}

/** A ledger with which a move can still be aborted after its switch. */
function abortedLate(ledger: MoveLedger): MoveLedger {
  const disguised = new Set<string>()
  const seen = (move: Move): Move => {
    if (move.phase !== 'emptying' || !move.isAbortAsked) return { ...move, isAbortAsked: false }
    disguised.add(move.moveId)
    return { ...move, phase: 'aborting' }
  }
  return {
    ...ledger,
    async take(...given) {
      const move = await ledger.take(...given)
      return move === null ? null : seen(move)
    },
    turn: (move, turn) =>
      ledger.turn(disguised.has(move.moveId) ? { ...move, phase: 'emptying' } : move, turn),
  }
}

/** A directory that keeps naming the first place that it found for an organization. */
function remembered(directory: PlaceDirectory): PlaceDirectory {
  const known = new Map<string, OwnPlace | null>()
  return {
    ...directory,
    async placeOf(organizationId) {
      const place = known.get(organizationId) ?? (await directory.placeOf(organizationId))
      known.set(organizationId, place)
      return place
    },
  }
}

/**
 * Matches the condition of the switch that nothing was written in the shared database since its journal was applied.
 */
const IS_AT_REST = / and \(not exists \(select 1 as "one" from "move_journal".*?"w"\."token" = \?\d+\)\)\)/g

/** How much the mistake takes off the pause that a move asks for, in ms. */
const SHORTENED_MS = 980

export const movingMutants: readonly Mutant[] = [
  {
    name: 'a move whose pause is short switches without a look at its lease, or at what was written since',
    statement: (sql) => sql.replaceAll(/\s+/g, ' ').replaceAll(IS_AT_REST, ''),
    movePlace: (place) => ({
      ...place,
      pause: (journalId, token, untilMs) => place.pause(journalId, token, untilMs - SHORTENED_MS),
      seal: async (journalId, token) => (await place.seal(journalId, token)) || true,
      readJournal: async (journalId, limit) => (limit === 1 ? [] : place.readJournal(journalId, limit)),
    }),
  },
  {
    name: 'the journal of a move is forgotten without being taken up',
    movePlace: (place) => ({
      ...place,
      async readJournal(journalId, limit) {
        const entries = await place.readJournal(journalId, limit)
        await place.forgetJournal(journalId, entries.at(-1)?.seq ?? 0)
        return []
      },
    }),
  },
  {
    name: 'the source is closed and emptied before the switch',
    movePlace: (place) => ({
      ...place,
      async seal(journalId, token) {
        const isSealed = await place.seal(journalId, token)
        if (isSealed) {
          await place.close()
          await place.empty(journalId.slice(0, 20))
        }
        return isSealed
      },
    }),
  },
  {
    name: 'the lease of an entry does not move with it',
    movePlace: (place) => ({
      ...place,
      async readChunk(journalId, table, from, rowsMax) {
        const chunk = await place.readChunk(journalId, table, from, rowsMax)
        return { ...chunk, rows: withoutLease(table, chunk.rows) }
      },
      async readRows(wanted) {
        const found = await place.readRows(wanted)
        return found.map((rows, index) => {
          const table = wanted[index]?.table
          return table === undefined ? rows : { ...rows, rows: withoutLease(table, rows.rows) }
        })
      },
    }),
  },
  { name: 'an isolate asks the directory about each organization but once', directory: remembered },
  { name: 'a move is given up after it has switched', ledger: abortedLate },
  {
    name: 'a move leaves the keys of an organization behind',
    movePlace: (place) => ({
      ...place,
      tables: async () => (await place.tables()).filter(({ name }) => name !== 'api_keys'),
    }),
  },
  {
    name: 'an object that an earlier version began to fill stays as that version left it',
    family: (family, stored) => ({
      ...family,
      begin: async (familyId) => {
        const [state] = stored.lookAtAll(
          "select value ->> 'name' as name from object_facts where name = 'state'",
        )
        return state?.name === 'filling' || family.begin(familyId)
      },
    }),
  },
]

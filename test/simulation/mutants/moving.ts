import type {
  Move,
  MoveLedger,
  MovedRow,
  MovedTable,
  OwnPlace,
  PlaceDirectory,
} from '../../../ports/placement.ts'
import { mutantsOf } from './replacing.ts'

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
    if (move.phase !== 'comparing' || !move.isAbortAsked) return { ...move, isAbortAsked: false }
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
      ledger.turn(disguised.has(move.moveId) ? { ...move, phase: 'comparing' } : move, turn),
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

/** Matches the condition of the switch that the pause of each organization of the shared database still holds. */
const IS_PAUSED =
  / and \(exists \(select 1 from write_pauses where token = \?\d+\) and not exists \(with recursive .*?"?w"?\.token = \?\d+\)\)\)/g

/** How much the mistake takes off the pause that a move asks for, in ms. */
const SHORTENED_MS = 1_980

/** A ledger whose ended moves count as tidied up, although nobody has done it. */
function untidy(ledger: MoveLedger): MoveLedger {
  return {
    ...ledger,
    async idle(...given) {
      const found = await ledger.idle(...given)
      for (const move of found)
        if (move.endedAt !== null) await ledger.turn(move, { phase: move.phase, notBefore: null })
      return found.filter(({ endedAt }) => endedAt === null)
    },
  }
}

export const movingMutants = mutantsOf({
  'a move whose pause is short switches without a look at its lease, or at what was written since': {
    statement: (sql) => sql.replaceAll(/\s+/g, ' ').replaceAll(IS_PAUSED, ''),
    movePlace: (place) => ({
      ...place,
      pause: (familyId, token, untilMs) => place.pause(familyId, token, untilMs - SHORTENED_MS),
      seal: async (familyId, token) => (await place.seal(familyId, token)) || true,
    }),
  },
  'a round of a move copies only what was written after the last row that it saw': {
    movePlace: (place) => ({
      ...place,
      organizations: async (familyId, now) =>
        (await place.organizations(familyId, now)).map((one) => ({ ...one, clockAt: '2099' })),
    }),
  },
  'the source is closed and emptied before the switch': {
    movePlace: (place) => ({
      ...place,
      async seal(familyId, token) {
        const isSealed = await place.seal(familyId, token)
        if (isSealed) {
          await place.close()
          await place.empty(token, familyId)
        }
        return isSealed
      },
    }),
  },
  'the lease of an entry does not move with it': {
    movePlace: (place) => ({
      ...place,
      async read(wanted) {
        const pages = await place.read(wanted)
        return pages.map((page, index) => {
          const table = wanted[index]?.table
          return table === undefined ? page : { ...page, rows: withoutLease(table, page.rows) }
        })
      },
    }),
  },
  'an isolate asks the directory about each organization but once': { directory: remembered },
  'a move is given up after it has switched': { ledger: abortedLate },
  'what moves have left stays': { ledger: untidy },
  'a move leaves the keys of an organization behind': {
    movePlace: (place) => ({
      ...place,
      tables: async () => (await place.tables()).filter(({ name }) => name !== 'api_keys'),
    }),
  },
  'an object that an earlier version began to fill stays as that version left it': {
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
})

import type { ChangeFollower, Row, RowChange } from '../engine/changes.ts'
import type { SimulatedDatabase, Stored, StoredHere } from '../engine/database.ts'

/** The change of a row in one of the databases. */
export interface PlacedChange extends RowChange {
  /** The name of the database. */
  readonly place: string
  /** The organization of the row; null: the table has no column for it. */
  readonly organizationId: string | null
  /** Whether the organization lives in this database. Other rows are what a move has copied or left. */
  readonly isHome: boolean
}

/** What is stored in all databases, for checks. */
export interface StoredPlaces extends Stored {
  /** The ids of all organizations, in the order of their creation. */
  organizationIds(): readonly string[]
  /** The name of the database in which an organization lives, according to the directory. */
  homeOf(organizationId: string): string
  /** Every database that has ever existed, the shared one first. */
  all(): readonly StoredHere[]
  /** The database with a name. */
  named(name: string): StoredHere
  /** The changes of rows since the last call, in all databases. */
  take(): readonly PlacedChange[]
  /** The rows of an organization in a table, in the database in which it lives. */
  rowsOf(organizationId: string, table: string): readonly Row[]
  /** The row of an organization with the rest of its primary key, in the database in which it lives. */
  rowOf(organizationId: string, table: string, ...key: readonly unknown[]): Row | undefined
}

/** The databases of organizations with databases of their own, according to the directory. */
export interface Homes {
  of(organizationId: string): string
  /** Reads the directory again. */
  refresh(): void
}

/** The tables of the directory. */
const DIRECTORY: ReadonlySet<string> = new Set(['families', 'placed_organizations'])

/** The change that stands for the removal of everything in a database. */
const CLEARED = {
  table: 'object_facts',
  before: null,
  after: null,
  columns: [],
  organizationId: null,
  isHome: false,
} as const satisfies Omit<PlacedChange, 'place'>

/** @param database the shared database, which has the directory */
export function createHomes(database: () => SimulatedDatabase): Homes {
  let placed = new Map<string, string>()
  return {
    of: (organizationId) => placed.get(organizationId) ?? database().name,
    refresh() {
      const directory = database().changes()
      placed = new Map()
      for (const { organization_id: id, family_id: familyId } of directory.rows('placed_organizations')) {
        const family = directory.row('families', familyId)
        if (family !== undefined) placed.set(String(id), `${String(familyId)}.${String(family.generation)}`)
      }
    },
  }
}

export function lookIntoPlaces(
  database: SimulatedDatabase,
  objects: { all(): readonly { readonly stored: StoredHere }[] },
  homes: Homes,
): StoredPlaces {
  const organizationIds: string[] = []
  const followed = new Map<string, ChangeFollower>()
  /** A database that was cleared has a new follower, which does not know the rows that were there. */
  const cleared = (place: StoredHere): readonly PlacedChange[] => {
    const before = followed.get(place.name)
    followed.set(place.name, place.changes())
    return before === undefined || before === place.changes() ? [] : [{ ...CLEARED, place: place.name }]
  }
  const all = (): readonly StoredHere[] => [database, ...objects.all().map(({ stored }) => stored)]
  const named = (name: string): StoredHere => {
    const place = all().find((each) => each.name === name)
    if (place === undefined) throw new Error(`There is no database ${name}`)
    return place
  }
  /** An organization that is reserved may have no database yet. */
  const home = (organizationId: string) =>
    all()
      .find(({ name }) => name === homes.of(organizationId))
      ?.changes()
  return {
    organizationIds: () => organizationIds,
    homeOf: (organizationId) => homes.of(organizationId),
    all,
    named,
    take() {
      const taken = all().map((place) => ({ place, changes: place.changes().take() }))
      if (taken.some(({ changes }) => changes.some(({ table }) => DIRECTORY.has(table)))) homes.refresh()
      return taken.flatMap(({ place, changes }) => [
        ...cleared(place),
        ...changes.map((change): PlacedChange => {
          const { organization_id: id } = change.after ?? change.before ?? {}
          const organizationId = typeof id === 'string' ? id : null
          const isHome = organizationId !== null && homes.of(organizationId) === place.name
          if (change.table === 'organizations' && organizationId !== null)
            if (!organizationIds.includes(organizationId)) organizationIds.push(organizationId)
          return { ...change, place: place.name, organizationId, isHome }
        }),
      ])
    },
    rowsOf: (organizationId, table) =>
      [...(home(organizationId)?.rows(table) ?? [])].filter((row) => row.organization_id === organizationId),
    rowOf: (organizationId, table, ...key) => home(organizationId)?.row(table, organizationId, ...key),
    look: (sql, ...parameters) => all().flatMap((place) => place.look(sql, ...parameters)),
  }
}

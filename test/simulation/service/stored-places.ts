import type { SimulatedDatabase, Stored, StoredHere } from '../engine/database.ts'
import type { FamilyObjects } from './family-objects.ts'

/** What is stored in all databases, for checks. */
export interface StoredPlaces extends Stored {
  /** The name of the database in which an organization lives, according to the directory. */
  homeOf(organizationId: string): string
  /** Like `homeOf`, for several organizations. */
  homes(organizationIds: readonly string[]): ReadonlyMap<string, string>
  /** Every database that has ever existed, the shared one first. */
  all(): readonly StoredHere[]
}

/** The databases of organizations with databases of their own, according to the directory. */
export interface Homes {
  of(organizationId: string): string
  /** Reads the directory again. */
  refresh(): void
}

/** @param database the shared database, which has the directory */
export function createHomes(database: () => SimulatedDatabase): Homes {
  let placed = new Map<string, string>()
  return {
    of: (organizationId) => placed.get(organizationId) ?? database().name,
    refresh() {
      const rows = database().lookAtAll(
        `select p.organization_id as id, f.family_id || '.' || f.generation as home
          from placed_organizations as p join families as f on f.family_id = p.family_id`,
      )
      placed = new Map(rows.map(({ id, home }) => [String(id), String(home)]))
    },
  }
}

export function lookIntoPlaces(
  database: SimulatedDatabase,
  objects: FamilyObjects,
  homes: Homes,
): StoredPlaces {
  const all = (): readonly StoredHere[] => [database, ...objects.all().map(({ stored }) => stored)]
  return {
    homeOf(organizationId) {
      homes.refresh()
      return homes.of(organizationId)
    },
    homes(organizationIds) {
      homes.refresh()
      return new Map(organizationIds.map((organizationId) => [organizationId, homes.of(organizationId)]))
    },
    all,
    look(sql, ...parameters) {
      homes.refresh()
      return all().flatMap((place) => place.look(sql, ...parameters))
    },
  }
}

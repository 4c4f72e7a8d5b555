import { stayingTables } from '../../../adapters/sqlite/move/moved-rows.ts'
import type { LookedAt, StoredHere } from '../engine/database.ts'
import type { StoredPlaces } from '../service/stored-places.ts'
import { passing } from '../setting.ts'
import type { ChangeCheck, Watch } from './watch.ts'

type Violated = Watch['violated']

/**
 * Checks of the places of organizations, after every write. A database only counts once the directory names it, because
 * before that only a move uses it.
 */
export function createPlaceChecks({ stored, violated }: Watch): ChangeCheck {
  const named = new Map<string, Set<string>>()
  const homes = new Map<string, string>()
  return (changes) => {
    if (!changes.some(({ table }) => PLACING.has(table))) return
    const states = new Map(stored.all().map((place) => [place.name, stateOf(place)]))
    for (const organizationId of stored.organizationIds()) {
      const home = stored.homeOf(organizationId)
      if (stored.rowOf(organizationId, 'organizations') === undefined) {
        // It was deleted, or is being restored. The next one of that name has nothing to do with it.
        named.delete(organizationId)
        homes.delete(organizationId)
        continue
      }
      const before = homes.get(organizationId) ?? home
      homes.set(organizationId, home)
      const known = (named.get(organizationId) ?? new Set()).add(home)
      named.set(organizationId, known)
      // The shared database serves every organization that the directory does not place elsewhere.
      const stateAt = (name: string) =>
        name === SHARED ? (home === SHARED ? 'open' : null) : states.get(name)
      const open = [...known].filter((name) => TAKES_WRITES.has(stateAt(name) ?? ''))
      if (open.length > 1 || (open[0] ?? home) !== home)
        violated('one place takes writes', `${organizationId} of ${home}: ${open.join(' and ')}`)
      if (!ANSWERS_READS.has(stateAt(home) ?? ''))
        violated('reads never stop', `${organizationId} of ${home}`)
      const parentId = stored.rowOf(organizationId, 'organizations')?.parent_id
      if (typeof parentId === 'string' && stored.homeOf(parentId) !== home)
        violated('a family lives in one place', `${organizationId} in ${home}, ${parentId} elsewhere`)
      if (before !== home) checkMoved(organizationId, stored.named(before), stored.named(home), violated)
    }
  }
}

/** The tables that say where organizations live, and what is allowed there. */
const PLACING: ReadonlySet<string> = new Set([
  'families',
  'object_facts',
  'organizations',
  'placed_organizations',
  'write_pauses',
])
const SHARED = 'shared'
/** The states in which an object accepts writes, now or when a pause has expired. */
const TAKES_WRITES: ReadonlySet<string> = new Set(['open', 'paused'])
const ANSWERS_READS: ReadonlySet<string> = new Set(['finished', 'open', 'paused', 'sealed'])

/** Checks that all rows of each organization are in one place, and that nothing is left of moves. */
export function checkPlacesAtRest(
  stored: StoredPlaces,
  violated: Violated,
  isExempt: (place: StoredHere) => boolean,
): void {
  for (const place of stored.all().filter((each) => !isExempt(each))) {
    for (const organizationId of stored.organizationIds()) {
      const isHome = stored.homeOf(organizationId) === place.name
      if (isHome && place.name !== SHARED && stateOf(place) !== 'open')
        violated('one place takes writes', `${organizationId}: not even ${place.name}`)
      const isLeft = !isHome && !isKept(stored, place.name, organizationId)
      const left = isLeft ? [...contentOf(place, organizationId)].filter(([, rows]) => rows.length > 0) : []
      if (left.length > 0)
        violated('a move leaves nothing behind', `${organizationId} in ${place.name}: ${left[0]?.[0] ?? ''}`)
    }
    const traces = place.lookAtAll(
      'select organization_id as name from write_pauses where until > simulated_now()',
    )
    if (traces.length > 0)
      violated('a move leaves nothing behind', `in ${place.name}: ${String(traces[0]?.name)}`)
    checkDerived(place, violated)
  }
}

/** Whether a place keeps the rows of an organization for a day, because a move has taken them to another one. */
function isKept(stored: StoredPlaces, place: string, organizationId: string): boolean {
  const moves = stored
    .named(SHARED)
    .lookAtAll("select family_id, source from moves where phase = 'done' and not_before is not null")
  return moves.some(({ family_id: familyId, source }) => {
    const from = JSON.parse(String(source)) as { readonly kind: string; readonly generation?: number }
    const name = from.kind === SHARED ? SHARED : `${String(familyId)}.${from.generation ?? 0}`
    return name === place && stored.homeOf(organizationId) !== place
  })
}

/**
 * Checks that each contact has the rows that the next version derives from it, whether the contact was written, moved
 * or migrated.
 */
function checkDerived(place: StoredHere, violated: Violated): void {
  const isNext = place.lookAtAll("select 1 from sqlite_master where name = 'contact_greetings'").length > 0
  if (!isNext) return
  const without = place.look(
    // A restoration derives nothing, as its manual says, so that this cannot be asked of the organization that comes back.
    `select c.contact_id from contacts as c where c.organization_id <> ? and not exists (select 1 from contact_greetings as g
      where g.organization_id = c.organization_id and g.contact_id = c.contact_id)`,
    passing.organizationId,
  )
  if (without.length > 0)
    violated('a migration misses no row', `${place.name}: ${String(without[0]?.contact_id)}`)
}

/** The state that an object has stored; null: this is the shared database, or nothing is stored. */
function stateOf(place: StoredHere): string | null {
  if (place.name === SHARED) return null
  const fact = place.changes().row('object_facts', 'state')
  return fact === undefined ? null : (JSON.parse(String(fact.value)) as { readonly name: string }).name
}

/**
 * Checks that at the moment of the switch both sides have the same rows, because the source can then accept no more of
 * them.
 */
function checkMoved(
  organizationId: string,
  source: StoredHere,
  target: StoredHere,
  violated: Violated,
): void {
  const [before, after] = [contentOf(source, organizationId), contentOf(target, organizationId)]
  for (const [table, rows] of before) {
    // Meanwhile the target may have been brought up to a version with more columns.
    const columns = Object.keys(rows[0] ?? {})
    const textOf = (row: LookedAt) => JSON.stringify(columns.map((column) => row[column]))
    const moved = new Set((after.get(table) ?? []).map(textOf))
    const missing = rows.find((row) => !moved.has(textOf(row)))
    if (missing !== undefined || moved.size !== rows.length)
      violated(
        'a move changes no row',
        `${organizationId} from ${source.name} to ${target.name}: ${table} has ${moved.size} of ${rows.length} rows: ${missing === undefined ? '' : textOf(missing)}`,
      )
  }
}

/** Every row of an organization, by table. */
function contentOf(place: StoredHere, organizationId: string): ReadonlyMap<string, readonly LookedAt[]> {
  const tables = place.lookAtAll(
    `select t.name from sqlite_master as t join pragma_table_info(t.name) as c
      where t.type = 'table' and c.name = 'organization_id'`,
  )
  const names = tables.map(({ name }) => String(name)).filter((name) => !(name in stayingTables))
  return new Map(
    names.map((name) => [
      name,
      place.lookAtAll(`select * from "${name}" where organization_id = ?`, organizationId),
    ]),
  )
}

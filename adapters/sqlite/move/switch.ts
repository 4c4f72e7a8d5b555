import type { Expression } from 'kysely'
import { sql } from 'kysely'
import type { Move } from '../../../ports/placement/move-ledger.ts'
import type { Place } from '../../../ports/placement/placement.ts'
import type { Template } from '../statement/compiler.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { BatchAround, BoundValue, Executor } from '../statement/executor.ts'
import { rowsAmong } from '../statement/executor.ts'
import type { MoveRow } from './move-row.ts'
import { moveColumns, moveOf } from './move-row.ts'

const organizations = sql`(select organization_id from move_organizations where move_id = ${slot('journalId')})`
const placed = sql`(select organization_id from placed_organizations where family_id = ${slot('familyId')})`

/**
 * Whether the move is still at this attempt to switch, and nobody has asked to abort it. Every statement has this
 * condition, and the last one makes it false, so all of them take effect or none.
 */
const isSwitching = sql`exists (select 1 from moves
  where move_id = ${slot('moveId')} and phase = 'switching' and token = ${slot('token')} and abort_asked = 0)`

/** Whether the target has everything that was written in the shared database, and writes are paused. */
const isAtRest = sql`not exists (select 1 from move_journal where journal_id = ${slot('journalId')})
  and not exists (select 1 from ${organizations} as m where not exists (select 1 from write_pauses as w
    where w.organization_id = m.organization_id and w.token = ${slot('token')}))`

/** The statement that makes a database of its own the place of the family. */
function enterFamily(condition: Expression<unknown>, workSince: Expression<unknown>) {
  return template(sql`
    insert into families (family_id, place, generation, region, jurisdiction, work_since)
    select ${slot('familyId')}, 'own', ${slot('generation')}, ${slot('region')}, ${slot('jurisdiction')}, ${workSince}
    where ${condition}
    on conflict (family_id) do update set place = excluded.place, generation = excluded.generation,
      region = excluded.region, jurisdiction = excluded.jurisdiction,
      work_since = coalesce(excluded.work_since, families.work_since)`)
}

const leaves = sql`${isSwitching} and ${isAtRest}`
const hasWork = sql`(select ${slot('now')} where exists (select 1 from outbox as b
  where b.organization_id in ${organizations} and b.status = 'pending')
  or exists (select 1 from retention as r where r.organization_id in ${organizations})
  or exists (select 1 from import_sessions as s where s.organization_id in ${organizations} and s.state = 'writing'))`

/**
 * The statements for a family that leaves the shared database: the directory takes over every name that its rows hold.
 */
const leaveShared = [
  enterFamily(leaves, hasWork),
  template(sql`
    insert into placed_organizations (organization_id, family_id)
    select organization_id, ${slot('familyId')} from ${organizations} where ${leaves}
    on conflict (organization_id) do update set family_id = excluded.family_id`),
  template(sql`
    insert into placed_slugs (slug, organization_id) select o.slug, o.organization_id from organizations as o
    where o.organization_id in ${organizations} and o.slug is not null and ${leaves}
    on conflict (slug) do update set organization_id = excluded.organization_id`),
  template(sql`
    insert into placed_keys (key_id, organization_id) select k.key_id, k.organization_id from api_keys as k
    where k.organization_id in ${organizations} and ${leaves}
    on conflict (key_id) do update set organization_id = excluded.organization_id`),
  // What an import was allowed to write is as good as written.
  template(sql`
    insert into placed_forms (form_id, organization_id, reserved_at)
    select f.form_id, f.organization_id, null from forms as f where f.organization_id in ${organizations} and ${leaves}
    union
    select entry.value, k.organization_id, null from import_sessions as s cross join import_keys as k
      on k.organization_id = s.organization_id and k.import_id = s.import_id cross join json_each(k."keys") as entry
    where s.organization_id in ${organizations} and s.state = 'writing' and s.kind = 'forms' and ${leaves}
    on conflict (form_id) do update set organization_id = excluded.organization_id, reserved_at = null`),
]

/** The statements for a family that moves to the shared database: its rows hold the names again. */
const enterShared = [
  ...['placed_slugs', 'placed_keys', 'placed_forms'].map((table) =>
    template(sql`delete from ${sql.id(table)} where organization_id in ${placed} and ${isSwitching}`),
  ),
  template(sql`delete from placed_organizations where family_id = ${slot('familyId')} and ${isSwitching}`),
  template(sql`
    update families set place = 'shared', region = null, jurisdiction = null, work_since = null
    where family_id = ${slot('familyId')} and ${isSwitching}`),
]

/** The statements for a family that moves from one database of its own to another. */
const changeOwn = [enterFamily(isSwitching, sql`null`)]

function endTry(condition: Expression<unknown>) {
  return template(sql<MoveRow>`
    update moves set phase = 'switched' where move_id = ${slot('moveId')} and ${condition} returning ${moveColumns}`)
}

const endTryAtRest = endTry(leaves)
const endTryElsewhere = endTry(isSwitching)
const endPauses = template(sql`delete from write_pauses where token = ${slot('token')} and exists (
  select 1 from moves where move_id = ${slot('moveId')} and phase = 'switched')`)

/** Makes the target of a move the family's place, in one batch. Null: the conditions of the switch do not hold. */
export async function switchFamily(executor: Executor, move: Move, now: string): Promise<Move | null> {
  const { moveId, familyId, token, journalId } = move
  const values = { moveId, familyId, token, journalId, now }
  const [row] = await rowsAmong(executor, switchBatch(move, { ...values, ...ownPlace(move.target) }))
  return row === undefined ? null : moveOf(row)
}

/** The statement that ends the try gives the record. */
function switchBatch(
  { source, target }: Move,
  values: Readonly<Record<string, BoundValue>>,
): BatchAround<MoveRow> {
  const bound = (statements: readonly Template[]) => statements.map((statement) => bind(statement, values))
  if (source.kind === 'shared')
    return { before: bound(leaveShared), giving: bind(endTryAtRest, values), after: bound([endPauses]) }
  const entered = target.kind === 'shared' ? enterShared : changeOwn
  return { before: bound(entered), giving: bind(endTryElsewhere, values) }
}

function ownPlace(place: Place): Readonly<Record<string, BoundValue>> {
  if (place.kind === 'shared') return {}
  return { generation: place.generation, region: place.region, jurisdiction: place.jurisdiction }
}

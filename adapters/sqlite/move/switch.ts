import { sql, type AliasableExpression, type Expression, type Selection, type SqlBool } from 'kysely'
import { forms } from '../../../domain/resources/forms.ts'
import type { Move } from '../../../ports/moves.ts'
import type { Place } from '../../../ports/placement.ts'
import { bind, db, eb, slot, template, jsonEach, one, type Template } from '../statement/compiler.ts'
import { parsed, type Database } from '../statement/database.ts'
import { rowsAmong, type BatchAround, type BoundValue, type Executor } from '../statement/executor.ts'
import { isPaused } from './moved-tables.ts'

/** The columns of `moves` that tell of a move. */
export const moveColumns = [
  'move_id as moveId',
  'family_id as familyId',
  'source',
  'target',
  'phase',
  'token',
  'progress',
  'shown',
  'tries',
  'not_before as notBefore',
  'abort_asked as abortAsked',
  'failure',
  'started_at as startedAt',
  'ended_at as endedAt',
] as const

/** A move as it is stored. */
export type MoveRow = Selection<Database, 'moves', (typeof moveColumns)[number]>

/** Reads a row as a move. */
export function moveOf({ source, target, shown, abortAsked, ...row }: MoveRow): Move {
  return {
    ...row,
    source: parsed(source),
    target: parsed(target),
    shown: shown === null ? null : parsed(shown),
    isAbortAsked: abortAsked === 1,
  }
}

const familyId = slot<string>('familyId')
const moveId = slot<string>('moveId')
/** The family's organizations: those whose writes this attempt pauses, which are all when it switches. */
const organizations = db
  .selectFrom('write_pauses')
  .select('organization_id')
  .where('token', '=', slot<string>('token'))

/**
 * Whether the move is still at this attempt to switch, and nobody has asked to abort it. Every statement has this
 * condition, and the last one makes it false, so all of them take effect or none.
 */
const isSwitching = eb.exists(
  db
    .selectFrom('moves')
    .select(one)
    .where('move_id', '=', moveId)
    .where('phase', '=', sql.lit('switching'))
    .where('token', '=', slot('token'))
    .where('abort_asked', '=', sql.lit(0)),
)

/** The statement that makes a database of its own the place of the family. */
function enterFamily(condition: Expression<SqlBool>, workSince: AliasableExpression<string | null>) {
  return template(
    db
      .insertInto('families')
      .columns(['family_id', 'place', 'generation', 'region', 'jurisdiction', 'work_since'])
      .expression(
        db
          .selectNoFrom([familyId.as('family_id'), sql.lit('own').as('place')])
          .select((['generation', 'region', 'jurisdiction'] as const).map((name) => slot(name).as(name)))
          .select(workSince.as('work_since'))
          .where(condition),
      )
      .onConflict((conflict) =>
        conflict.column('family_id').doUpdateSet(({ fn, ref }) => ({
          place: ref('excluded.place'),
          generation: ref('excluded.generation'),
          region: ref('excluded.region'),
          jurisdiction: ref('excluded.jurisdiction'),
          work_since: fn.coalesce('excluded.work_since', 'families.work_since'),
        })),
      ),
  )
}

const leaves = eb.and([isSwitching, isPaused])
const hasWork = db
  .selectNoFrom(slot<string>('now').as('now'))
  .where(({ exists, or }) =>
    or([
      exists(
        db
          .selectFrom('outbox as b')
          .select(one)
          .where('b.organization_id', 'in', organizations)
          .where('b.status', '=', sql.lit('pending')),
      ),
      exists(db.selectFrom('retention as r').select(one).where('r.organization_id', 'in', organizations)),
      exists(
        db
          .selectFrom('import_sessions as s')
          .select(one)
          .where('s.organization_id', 'in', organizations)
          .where('s.state', '=', sql.lit('writing')),
      ),
    ]),
  )
  .$asScalar()

/** The ids of forms that an import was allowed to write, which are as good as written. */
const importedForms = db
  .selectFrom('import_sessions as s')
  .crossJoin('import_keys as k')
  .whereRef('k.organization_id', '=', 's.organization_id')
  .whereRef('k.import_id', '=', 's.import_id')
  .crossJoin(jsonEach<string, 'entry'>(sql.id('k', 'keys' satisfies keyof Database['import_keys']), 'entry'))
  .select(['entry.value as form_id', 'k.organization_id', sql<null>`null`.as('reserved_at')])
  .where('s.organization_id', 'in', organizations)
  .where('s.state', '=', sql.lit('writing'))
  .where('s.is_dry_run', '=', sql.lit(0))
  .where('s.kind', '=', sql.lit(forms.collection))

/**
 * The statements for a family that leaves the shared database: the directory takes over every name that its rows hold.
 */
const leaveShared = [
  enterFamily(leaves, hasWork),
  template(
    db
      .insertInto('placed_organizations')
      .columns(['organization_id', 'family_id'])
      .expression(organizations.select(familyId.as('family_id')).where(leaves))
      .onConflict((conflict) =>
        conflict
          .column('organization_id')
          .doUpdateSet(({ ref }) => ({ family_id: ref('excluded.family_id') })),
      ),
  ),
  template(
    db
      .insertInto('placed_slugs')
      .columns(['slug', 'organization_id'])
      .expression(
        db
          .selectFrom('organizations as o')
          .select(['o.slug', 'o.organization_id'])
          .where('o.organization_id', 'in', organizations)
          .where('o.slug', 'is not', null)
          .where(leaves),
      )
      .onConflict((conflict) =>
        conflict
          .column('slug')
          .doUpdateSet(({ ref }) => ({ organization_id: ref('excluded.organization_id') })),
      ),
  ),
  template(
    db
      .insertInto('placed_keys')
      .columns(['key_id', 'organization_id', 'issued_by'])
      .expression(
        db
          .selectFrom('api_keys as k')
          .select(['k.key_id', 'k.organization_id', 'k.issued_by'])
          .where('k.organization_id', 'in', organizations)
          .where(leaves),
      )
      .onConflict((conflict) =>
        conflict.column('key_id').doUpdateSet(({ ref }) => ({
          organization_id: ref('excluded.organization_id'),
          issued_by: ref('excluded.issued_by'),
        })),
      ),
  ),
  template(
    db
      .insertInto('placed_forms')
      .columns(['form_id', 'organization_id', 'reserved_at'])
      .expression(
        db
          .selectFrom('forms as f')
          .select(['f.form_id', 'f.organization_id', sql<null>`null`.as('reserved_at')])
          .where('f.organization_id', 'in', organizations)
          .where(leaves)
          .union(importedForms.where(leaves)),
      )
      .onConflict((conflict) =>
        conflict.column('form_id').doUpdateSet(({ ref }) => ({
          organization_id: ref('excluded.organization_id'),
          reserved_at: sql`null`,
        })),
      ),
  ),
]

const placed = db
  .selectFrom('placed_organizations')
  .select('organization_id')
  .where('family_id', '=', familyId)

/** The statements for a family that moves to the shared database: its rows hold the names again. */
const enterShared = [
  ...(['placed_slugs', 'placed_keys', 'placed_forms'] as const).map((table) =>
    template(db.deleteFrom(table).where('organization_id', 'in', placed).where(isSwitching)),
  ),
  template(db.deleteFrom('placed_organizations').where('family_id', '=', familyId).where(isSwitching)),
  template(
    db
      .updateTable('families')
      .set({ place: sql.lit('shared'), region: sql`null`, jurisdiction: sql`null`, work_since: sql`null` })
      .where('family_id', '=', familyId)
      .where(isSwitching),
  ),
]

/** The statements for a family that moves from one database of its own to another. */
const changeOwn = [enterFamily(isSwitching, sql<null>`null`)]

function endTry(condition: Expression<SqlBool>) {
  return template(
    db
      .updateTable('moves')
      .set({ phase: sql.lit('switched') })
      .where('move_id', '=', moveId)
      .where(condition)
      .returning(moveColumns),
  )
}

const endTryAtRest = endTry(leaves)
const endTryElsewhere = endTry(isSwitching)
const endPauses = template(
  db
    .deleteFrom('write_pauses')
    .where('token', '=', slot('token'))
    .where(({ exists }) =>
      exists(
        db
          .selectFrom('moves')
          .select(one)
          .where('move_id', '=', moveId)
          .where('phase', '=', sql.lit('switched')),
      ),
    ),
)

/** Makes the target of a move the family's place, in one batch. Null: the conditions of the switch do not hold. */
export async function switchFamily(executor: Executor, move: Move, now: string): Promise<Move | null> {
  const values = {
    moveId: move.moveId,
    familyId: move.familyId,
    token: move.token,
    now,
  }
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

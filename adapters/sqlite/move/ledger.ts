import { sql, type AliasableExpression, type Expression, type Selection, type SqlBool } from 'kysely'
import { forms } from '../../../domain/resources/forms.ts'
import type { Move, MoveLedger, MovePhase, MoveTurn, Place } from '../../../ports/placement.ts'
import {
  bind,
  db,
  eb,
  slot,
  template,
  type Template,
  atMost,
  excluded,
  exists,
} from '../statement/compiler.ts'
import { parsed, type Database, type JsonText } from '../statement/database.ts'
import {
  rowsAmong,
  type BatchAround,
  type BoundValue,
  type Executor,
  resultsOf,
  rowsOf,
  type Statement,
} from '../statement/executor.ts'
import { keysOf } from '../../../domain/text/encoding.ts'
import { insertWhen, slotsOf } from '../statement/insert.ts'
import { aliasesFor } from '../tables.ts'
import { isPaused } from './moved-rows.ts'
import { withSomethingDue } from '../placement/coming-due.ts'
import { familyMembers, isPlaced } from '../placement/guard.ts'

/** The columns of `moves` that tell of a move. */
const moveColumns = aliasesFor([
  ...(['moveId', 'familyId', 'source', 'target', 'phase', 'token', 'progress', 'shown', 'tries'] as const),
  ...(['notBefore', 'abortAsked', 'failure', 'startedAt', 'endedAt'] as const),
])

/** A move as it is stored. */
type MoveRow = Selection<Database, 'moves', (typeof moveColumns)[number]>

/** Reads a row as a move. */
function moveOf({ source, target, shown, abortAsked, ...row }: MoveRow): Move {
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

type PlaceText = JsonText<Place>

/** The family's own database; null: it has none. */
const ownDatabase = db
  .selectFrom('families as f')
  .select(({ fn }) => fn<PlaceText>('json_object', [...kind('own'), ...familyMembers()]).as('place'))
  .where('f.family_id', '=', familyId)
  .where('f.place', '=', sql.lit('own'))

/** The shared database, if the family lives there; null: it does not. */
const sharedPlace = db
  .selectFrom('organizations as o')
  .select(({ fn }) => fn<PlaceText>('json_object', kind('shared')).as('place'))
  .where('o.organization_id', '=', familyId)
  .where('o.parent_id', 'is', null)
  .where(({ not, ref }) => not(isPlaced(ref('o.organization_id'))))

/** A generation that no database of the family has had, including those of moves that were aborted. */
const nextGeneration = sql<number>`1 + max(
  coalesce(${db.selectFrom('families as f').select('f.generation').where('f.family_id', '=', familyId)}, 0),
  coalesce(${db
    .selectFrom('moves as m')
    .select(({ ref }) => sql`max(${ref('m.target')} ->> 'generation')`.as('latest'))
    .where('m.family_id', '=', familyId)}, 0))`

const newFamily = familyMembers({
  familyId,
  generation: nextGeneration,
  region: slot('region'),
  jurisdiction: slot('jurisdiction'),
})

const targetPlace = sql<PlaceText>`iif(${slot('kind')} = 'shared', ${eb.fn('json_object', kind('shared'))},
  ${eb.fn('json_object', [...kind('own'), ...newFamily])})`

/** The first member of a place in an SQL object. */
function kind(of: Place['kind']): readonly [Expression<string>, Expression<string>] {
  return [sql.lit('kind'), sql.lit(of)]
}

const open = template(
  db
    .insertInto('moves')
    .columns(['move_id', 'family_id', 'source', 'target', 'phase', 'started_at'])
    .expression(
      db
        .selectFrom(
          db
            .selectNoFrom([eb.fn.coalesce(ownDatabase, sharedPlace).as('source'), targetPlace.as('target')])
            .as('places'),
        )
        .select([slot('moveId').as('move_id'), familyId.as('family_id'), 'source', 'target'])
        .select([sql.lit('copying').as('phase'), slot('startedAt').as('started_at')])
        .where('source', 'is not', null)
        .whereRef('source', '<>', 'target'),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

const moves = db.selectFrom('moves').select(moveColumns)
const find = template(moves.where('move_id', '=', slot('moveId')))
const running = template(moves.where('family_id', '=', familyId).where('ended_at', 'is', null))

/** Moves that waited longest come first, so that those whose databases do not answer cannot hold up the others. */
const idle = template(
  moves
    .where('ended_at', 'is', null)
    .where(({ eb, or }) => or([eb('leased_until', 'is', null), eb('leased_until', '<=', slot('now'))]))
    .orderBy('taken_at')
    .orderBy('started_at')
    .orderBy('move_id')
    .limit(atMost('limit')),
)

const untidied = template(
  moves
    .where('ended_at', 'is not', null)
    .where('not_before', '<=', slot('now'))
    .where(({ not, selectFrom }) =>
      not(
        exists(
          selectFrom('moves as other')
            .whereRef('other.family_id', '=', 'moves.family_id')
            .where('other.ended_at', 'is', null),
        ),
      ),
    )
    .orderBy('not_before')
    .limit(atMost('limit')),
)

const change = db.updateTable('moves').where('move_id', '=', slot('moveId'))

const take = template(
  change
    .set({ mover: slot('mover'), taken_at: slot('now'), leased_until: slot('until') })
    .where('ended_at', 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('leased_until', 'is', null),
        eb('leased_until', '<=', slot('now')),
        eb('mover', '=', slot('mover')),
      ]),
    )
    .returning(moveColumns),
)

const release = template(change.set({ leased_until: sql`null` }).where('mover', '=', slot('mover')))

const turn = template(
  change
    .set(({ fn, ref }) => ({
      phase: slot('phase'),
      token: sql<string>`iif(${slot('hasToken')}, ${slot('token')}, ${ref('token')})`,
      progress: sql<string>`iif(${slot('hasProgress')}, ${slot('progress')}, ${ref('progress')})`,
      tries: fn.coalesce(slot('tries'), 'tries'),
      not_before: sql<string>`iif(${slot('hasNotBefore')}, ${slot('notBefore')}, ${ref('not_before')})`,
      failure: fn.coalesce(slot('failure'), 'failure'),
      ended_at: fn.coalesce(slot('endedAt'), 'ended_at'),
    }))
    .where('phase', '=', slot('wasPhase'))
    .where('token', 'is', slot('wasToken'))
    .returning(moveColumns),
)

const save = template(
  change
    .set({ progress: slot('progress'), shown: slot('shown') })
    .where('mover', '=', slot('mover'))
    .where('ended_at', 'is', null)
    .returning('move_id as id'),
)

/** The phases in which a move can still be aborted, or was. Its family has not left the source. */
const abortable = ['copying', 'switching', 'aborting', 'aborted'] as const satisfies readonly MovePhase[]

const askAbort = template(
  change
    .set({ abort_asked: sql.lit(1) })
    .where(
      'phase',
      'in',
      abortable.map((phase) => sql.lit(phase)),
    )
    .returning('move_id as id'),
)

/** The record of moves, in the database that holds the directory. */
export function createMoveLedger(executor: Executor): MoveLedger {
  const first = async (statement: Statement<MoveRow>): Promise<Move | null> => {
    const [row] = await rowsOf(executor, statement)
    return row === undefined ? null : moveOf(row)
  }
  return {
    async open({ moveId, familyId, startedAt, target }) {
      const { region, jurisdiction } = target.kind === 'own' ? target : { region: null, jurisdiction: null }
      const values = { moveId, familyId, startedAt, kind: target.kind, region, jurisdiction }
      const [, found] = await resultsOf(executor, [bind(open, values), bind(running, { familyId })])
      const [row] = found.rows
      return row === undefined ? null : moveOf(row)
    },
    find: (moveId) => first(bind(find, { moveId })),
    running: (familyId) => first(bind(running, { familyId })),
    async idle(now, limit) {
      const given = { now, limit }
      const found = await resultsOf(executor, [bind(idle, given), bind(untidied, given)])
      return found.flatMap(({ rows }) => rows.map(moveOf))
    },
    take: (moveId, mover, now, until) => first(bind(take, { moveId, mover, now, until })),
    async release(moveId, mover) {
      await executor.batch([bind(release, { moveId, mover })])
    },
    turn: (move, to) => first(bind(turn, turnValues(move, to))),
    async save(moveId, mover, progress, shown) {
      const values = { moveId, mover, progress, shown: JSON.stringify(shown) }
      return (await rowsOf(executor, bind(save, values))).length === 1
    },
    askAbort: async (moveId) => (await rowsOf(executor, bind(askAbort, { moveId }))).length === 1,
    switch: (move, now) => switchFamily(executor, move, now),
  }
}

function turnValues(move: Move, to: MoveTurn) {
  return {
    moveId: move.moveId,
    wasPhase: move.phase,
    wasToken: move.token,
    phase: to.phase,
    hasToken: to.token === undefined ? 0 : 1,
    token: to.token ?? null,
    hasProgress: to.progress === undefined ? 0 : 1,
    progress: to.progress ?? null,
    tries: to.tries ?? null,
    hasNotBefore: to.notBefore === undefined ? 0 : 1,
    notBefore: to.notBefore ?? null,
    failure: to.failure ?? null,
    endedAt: to.endedAt ?? null,
  }
}

/** The family's organizations: those whose writes this attempt pauses, which are all when it switches. */
const organizations = db
  .selectFrom('write_pauses')
  .select('organization_id')
  .where('token', '=', slot<string>('token'))

/**
 * Whether the move is still at this attempt to switch, and nobody has asked to abort it. Every statement has this
 * condition, and the last one makes it false, so all of them take effect or none.
 */
const isSwitching = exists(
  db
    .selectFrom('moves')
    .where('move_id', '=', moveId)
    .where('phase', '=', sql.lit('switching'))
    .where('token', '=', slot('token'))
    .where('abort_asked', '=', sql.lit(0)),
)

/** The statement that makes a database of its own the place of the family. */
function enterFamily(condition: Expression<SqlBool>, workSince: AliasableExpression<string | null>) {
  const place = { place: sql.lit('own'), ...slotsOf(['generation', 'region', 'jurisdiction']) }
  return template(
    insertWhen('families', { family_id: familyId, ...place, work_since: workSince }, condition).onConflict(
      (conflict) =>
        conflict.column('family_id').doUpdateSet(({ fn }) => ({
          ...excluded(keysOf(place)),
          work_since: fn.coalesce('excluded.work_since', 'families.work_since'),
        })),
    ),
  )
}

const leaves = eb.and([isSwitching, isPaused])
const hasWork = db
  .selectNoFrom(slot<string>('now').as('now'))
  .where(({ or }) =>
    or([
      exists(
        db
          .selectFrom('outbox as b')
          .where('b.organization_id', 'in', organizations)
          .where('b.status', '=', sql.lit('pending')),
      ),
      exists(db.selectFrom(withSomethingDue.as('d')).where('d.organization_id', 'in', organizations)),
      exists(
        db
          .selectFrom('import_sessions as s')
          .where('s.organization_id', 'in', organizations)
          .where('s.state', '=', sql.lit('writing')),
      ),
    ]),
  )
  .$asScalar()

/**
 * The statements for a family that leaves the shared database: the directory takes over every name that its rows hold.
 */
const leaveShared = [
  enterFamily(leaves, hasWork),
  template(sql`
    insert into placed_organizations (organization_id, family_id)
    select organization_id, ${familyId} from write_pauses where token = ${slot('token')} and ${leaves}
    on conflict (organization_id) do update set family_id = excluded.family_id`),
  template(sql`
    insert into placed_slugs (slug, organization_id)
    select o.slug, o.organization_id from organizations as o
    where o.organization_id in ${organizations} and o.slug is not null and ${leaves}
    on conflict (slug) do update set organization_id = excluded.organization_id`),
  template(sql`
    insert into placed_keys (key_id, organization_id, issued_by)
    select k.key_id, k.organization_id, k.issued_by from api_keys as k
    where k.organization_id in ${organizations} and ${leaves}
    on conflict (key_id) do update set organization_id = excluded.organization_id, issued_by = excluded.issued_by`),
  // The ids of forms that an import was allowed to write are as good as written.
  template(sql`
    insert into placed_forms (form_id, organization_id, reserved_at)
    select f.form_id, f.organization_id, null from forms as f
    where f.organization_id in ${organizations} and ${leaves}
    union select e.value, k.organization_id, null from import_sessions as s
      cross join import_keys as k on k.organization_id = s.organization_id and k.import_id = s.import_id
      cross join json_each(k."keys") as e
    where s.organization_id in ${organizations} and s.state = 'writing' and s.is_dry_run = 0
      and s.kind = ${sql.lit(forms.collection)} and ${leaves}
    on conflict (form_id) do update set organization_id = excluded.organization_id, reserved_at = null`),
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
    .where(
      exists(db.selectFrom('moves').where('move_id', '=', moveId).where('phase', '=', sql.lit('switched'))),
    ),
)

/** Makes the target of a move the family's place, in one batch. Null: the conditions of the switch do not hold. */
async function switchFamily(executor: Executor, move: Move, now: string): Promise<Move | null> {
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

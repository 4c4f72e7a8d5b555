import { sql, type Expression } from 'kysely'
import type { Move, MoveLedger, MovePhase, MoveTurn } from '../../../ports/moves.ts'
import type { Place } from '../../../ports/placement.ts'
import type { JsonText } from '../statement/database.ts'
import { atMost, bind, db, eb, slot, template, one } from '../statement/compiler.ts'
import { resultsOf, rowsOf, type Executor, type Statement } from '../statement/executor.ts'
import { familyMembers, isPlaced } from '../placement/guard.ts'
import { moveColumns, moveOf, switchFamily, type MoveRow } from './switch.ts'

type PlaceText = JsonText<Place>

const familyId = slot<string>('familyId')

/** The family's own database; null: it has none. */
const ownPlace = db
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
            .selectNoFrom([eb.fn.coalesce(ownPlace, sharedPlace).as('source'), targetPlace.as('target')])
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
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('moves as other')
            .select(one)
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

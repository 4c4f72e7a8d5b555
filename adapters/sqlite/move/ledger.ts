import { sql } from 'kysely'
import type { Move, MoveLedger, MovePhase, MoveTurn } from '../../../ports/placement/move-ledger.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor, Statement } from '../statement/executor.ts'
import { resultsOf, rowsOf } from '../statement/executor.ts'
import { familyMembers, isPlaced } from '../placement/family-row.ts'
import type { MoveRow } from './move-row.ts'
import { moveColumns, moveOf } from './move-row.ts'
import { switchFamily } from './switch.ts'

/** The family's own database; null: it has none. */
const ownPlace = sql`(select json_object('kind', 'own', ${familyMembers()})
  from families as f where f.family_id = ${slot('familyId')} and f.place = 'own')`

/** The shared database, if the family lives there; null: it does not. */
const sharedPlace = sql`(select json_object('kind', 'shared') from organizations as o
  where o.organization_id = ${slot('familyId')} and o.parent_id is null and not ${isPlaced(sql`o.organization_id`)})`

/** A generation that no database of the family has had, including those of moves that were aborted. */
const nextGeneration = sql`1 + max(
  coalesce((select f.generation from families as f where f.family_id = ${slot('familyId')}), 0),
  coalesce((select max(m.target ->> 'generation') from moves as m where m.family_id = ${slot('familyId')}), 0))`

const newFamily = familyMembers({
  familyId: slot('familyId'),
  generation: nextGeneration,
  region: slot('region'),
  jurisdiction: slot('jurisdiction'),
})

const targetPlace = sql`iif(${slot('kind')} = 'shared', json_object('kind', 'shared'),
  json_object('kind', 'own', ${newFamily}))`

const open = template(sql`
  insert into moves (move_id, family_id, source, target, phase, started_at)
  select ${slot('moveId')}, ${slot('familyId')}, source, target, 'starting', ${slot('startedAt')}
  from (select coalesce(${ownPlace}, ${sharedPlace}) as source, ${targetPlace} as target)
  where source is not null and source <> target
  on conflict do nothing`)

const find = template(sql<MoveRow>`select ${moveColumns} from moves where move_id = ${slot('moveId')}`)

const running = template(sql<MoveRow>`
  select ${moveColumns} from moves where family_id = ${slot('familyId')} and ended_at is null`)

/** Moves that waited longest come first, so that those whose databases do not answer cannot hold up the others. */
const idle = template(sql<MoveRow>`
  select ${moveColumns} from moves
  where ended_at is null and (leased_until is null or leased_until <= ${slot('now')})
  order by taken_at, started_at, move_id limit +${slot('limit')}`)

const untidied = template(sql<MoveRow>`
  select ${moveColumns} from moves
  where ended_at is not null and not_before <= ${slot('now')} order by not_before limit +${slot('limit')}`)

const take = template(sql<MoveRow>`
  update moves set mover = ${slot('mover')}, taken_at = ${slot('now')}, leased_until = ${slot('until')}
  where move_id = ${slot('moveId')} and ended_at is null
    and (leased_until is null or leased_until <= ${slot('now')} or mover = ${slot('mover')})
  returning ${moveColumns}`)

const release = template(sql`
  update moves set leased_until = null where move_id = ${slot('moveId')} and mover = ${slot('mover')}`)

const turn = template(sql<MoveRow>`
  update moves set phase = ${slot('phase')}, token = iif(${slot('hasToken')}, ${slot('token')}, token),
    journal_id = coalesce(${slot('journalId')}, journal_id),
    "tables" = coalesce(${slot('tables')}, "tables"), tries = coalesce(${slot('tries')}, tries),
    not_before = iif(${slot('hasNotBefore')}, ${slot('notBefore')}, not_before),
    failure = coalesce(${slot('failure')}, failure), ended_at = coalesce(${slot('endedAt')}, ended_at)
  where move_id = ${slot('moveId')} and phase = ${slot('wasPhase')} and token is ${slot('wasToken')}
    and journal_id is ${slot('wasJournalId')}
  returning ${moveColumns}`)

const show = template(sql`update moves set shown = ${slot('shown')} where move_id = ${slot('moveId')}`)

/** The phases in which a move can still be aborted, or was. Its family has not left the source. */
const abortable = [
  'starting',
  'copying',
  'switching',
  'aborting',
  'aborted',
] as const satisfies readonly MovePhase[]

const askAbort = template(sql<{ readonly id: string }>`
  update moves set abort_asked = 1
  where move_id = ${slot('moveId')} and phase in (${sql.join(abortable.map((phase) => sql.lit(phase)))})
  returning move_id as id`)

/** The record of moves, in the database that holds the directory. */
export function createMoveLedger(executor: Executor): MoveLedger {
  const one = async (statement: Statement<MoveRow>): Promise<Move | null> => {
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
    find: (moveId) => one(bind(find, { moveId })),
    running: (familyId) => one(bind(running, { familyId })),
    async idle(now, limit) {
      const given = { now, limit }
      const found = await resultsOf(executor, [bind(idle, given), bind(untidied, given)])
      return found.flatMap(({ rows }) => rows.map(moveOf))
    },
    take: (moveId, mover, now, until) => one(bind(take, { moveId, mover, now, until })),
    async release(moveId, mover) {
      await executor.batch([bind(release, { moveId, mover })])
    },
    turn: (move, to) => one(bind(turn, turnValues(move, to))),
    async show(moveId, shown) {
      await executor.batch([bind(show, { moveId, shown: JSON.stringify(shown) })])
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
    wasJournalId: move.journalId,
    phase: to.phase,
    hasToken: to.token === undefined ? 0 : 1,
    token: to.token ?? null,
    journalId: to.journalId ?? null,
    tables: to.tables === undefined ? null : JSON.stringify(to.tables),
    tries: to.tries ?? null,
    hasNotBefore: to.notBefore === undefined ? 0 : 1,
    notBefore: to.notBefore ?? null,
    failure: to.failure ?? null,
    endedAt: to.endedAt ?? null,
  }
}

import * as v from 'valibot'
import type { Move } from '../../../../ports/placement/move-ledger.ts'
import { placeKinds } from '../../../placement/operators/choices.ts'
import { component, described } from '../../../record/meaning.ts'
import { instant } from './key-schema.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const place = v.picklist(placeKinds)

const Published = v.strictObject({
  moveId: described(v.string(), 'Names the move.'),
  organizationId: described(v.string(), 'The organization at the root of the family that moves.'),
  from: described(place, 'Where the family lived when the move began.'),
  to: described(place, 'Where it is moved to.'),
  region: described(v.nullable(v.string()), 'Where the new database was asked to be; null: anywhere.'),
  jurisdiction: described(v.nullable(v.string()), 'Where the new database must stay; null: anywhere.'),
  phase: described(
    v.picklist(['copying', 'switching', 'switched', 'comparing', 'done', 'aborting', 'aborted']),
    '`copying`: rows are copied while the family is served where it was. `switching`: its writes wait for a moment. `switched`, `comparing`: it lives in the new place, and the rows of both are compared. `done`: the old place keeps its rows for a day, and nobody can use them. `aborting`, `aborted`: the move was given up, and everything is as it was.',
  ),
  copiedRows: described(count, 'Rows that were copied.'),
  comparedRows: described(count, 'Rows that were compared after the switch.'),
  table: described(count, 'The table that is worked on.'),
  tables: described(count, 'How many tables there are; 0: not known yet.'),
  pausedMs: described(v.nullable(count), 'How long writes were paused, in milliseconds; null: not yet.'),
  failure: described(
    v.nullable(v.string()),
    'Why the service gave the move up, or which rows it found different after the switch, so that the old place keeps them; null: neither.',
  ),
  startedAt: described(instant, 'When it began.'),
  endedAt: described(v.nullable(instant), 'When it ended; null: it runs.'),
})

export const MoveBody = component('Move', described(Published, 'The move of a family to another place.'))

export const sampleMove: v.InferOutput<typeof Published> = {
  moveId: '5f0c9a1e7d554a1b9c1f',
  organizationId: 'acme',
  from: 'shared',
  to: 'own',
  region: 'weur',
  jurisdiction: null,
  phase: 'copying',
  copiedRows: 412_000,
  comparedRows: 0,
  table: 11,
  tables: 38,
  pausedMs: null,
  failure: null,
  startedAt: '2026-05-19T18:10:00.000Z',
  endedAt: null,
}

/** A move in its published form. */
export function publishedMove(move: Move): v.InferOutput<typeof Published> {
  const { moveId, familyId, source, target, phase, shown, failure, startedAt, endedAt } = move
  return {
    moveId,
    organizationId: familyId,
    from: source.kind,
    to: target.kind,
    region: target.kind === 'own' ? target.region : null,
    jurisdiction: target.kind === 'own' ? target.jurisdiction : null,
    phase,
    copiedRows: shown?.copiedRows ?? 0,
    comparedRows: shown?.comparedRows ?? 0,
    table: shown?.table ?? 0,
    tables: shown?.tables ?? 0,
    pausedMs: shown?.pausedMs ?? null,
    failure,
    startedAt,
    endedAt,
  }
}

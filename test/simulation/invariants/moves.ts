import { NEXT_PHASES } from '../../../domain/placement/move/place-states.ts'
import type { MovePhase } from '../../../ports/placement.ts'
import type { StoredPlaces } from '../service/stored-places.ts'
import { textOf, type ChangeCheck, type Watch } from './watch.ts'

/** How far in the future a pause of writes ends that is none but a seal, in ms. */
const SEALED_MS = 3_600_000

/** Checks the phases of moves, and counts what happens to them. */
export function createMoveChecks({ stored, nowMs, violated, happened }: Watch): ChangeCheck {
  return (changes) => {
    for (const { table, before, after, columns } of changes) {
      if (table !== 'moves' || before === null || after === null) continue
      const [from, to] = [textOf(before.phase), textOf(after.phase)]
      const isTurn = columns.includes('phase')
      if (isTurn && !NEXT_PHASES[from as MovePhase].includes(to as MovePhase))
        violated('a move goes from phase to phase', `${textOf(after.move_id)}: from ${from} to ${to}`)
      if (isTurn && (to === 'done' || to === 'aborted') !== (after.ended_at !== null))
        violated('a move has ended when its phase says so', JSON.stringify(after))
      if (isTurn && to === 'switched') happened('a move switches')
      if (isTurn && to === 'done') happened('a move is done')
      if (isTurn && to === 'aborted') happened('a move is aborted')
      if (isTurn && from === 'switching' && to === 'copying') {
        happened('an attempt to switch is given back')
        if (isSealed(textOf(after.family_id), stored, nowMs()))
          happened('an attempt to switch is given back after sealing')
      }
      const isTaken = columns.includes('mover') && before.mover !== null && before.leased_until !== null
      if (isTaken) happened('a mover takes a move over')
      if (columns.includes('not_before') && after.ended_at !== null && after.not_before === null)
        happened('a move is tidied up')
    }
  }
}

/** Whether the place in which a family lives takes no writes until a move goes on. */
function isSealed(familyId: string, stored: StoredPlaces, nowMs: number): boolean {
  const home = stored.named(stored.homeOf(familyId)).changes()
  const pause = home.row('write_pauses', familyId)
  const state = home.row('object_facts', 'state')
  return textOf(state?.value).includes('"sealed"') || Date.parse(textOf(pause?.until)) > nowMs + SEALED_MS
}

import assert from 'node:assert/strict'
import type { Remains } from './remains.ts'

/**
 * The places that would take a write of a family: the shared database, and its objects that are open. To an object that a
 * move fills, and that the directory has never named, no write can come.
 */
function writablePlaces({ objects, sharedWritable }: Remains): ReadonlyMap<string, number> {
  const places = new Map([...sharedWritable].map((familyId) => [familyId, 1]))
  for (const { familyId, state, isKnown } of objects)
    if (state === 'open' && isKnown) places.set(familyId, (places.get(familyId) ?? 0) + 1)
  return places
}

/** What must hold at any moment: between two places of a move there may be none for a moment, and never two. */
export function assertOnePlaceAtMost(remains: Remains): void {
  const several = [...writablePlaces(remains)].filter(([, places]) => places > 1)
  assert.deepEqual(several, [], 'families can be written in several places')
}

/** What must hold when no move runs. */
export function assertOnePlaceEach(remains: Remains, familyIds: readonly string[]): void {
  const places = writablePlaces(remains)
  const wrong = familyIds.filter((familyId) => places.get(familyId) !== 1)
  assert.deepEqual(wrong, [], 'families cannot be written in exactly one place')
  const left = remains.objects.filter(({ isKnown, state }) => !isKnown || state !== 'open')
  assert.deepEqual(left, [], 'moves have left objects that nobody uses')
}

import assert from 'node:assert/strict'
import type { Remains } from './remains.ts'

/**
 * The places that would accept a write of a family: the shared database, and the family's open objects. An object that
 * a move is still filling does not count while the directory has never named it, because no write can reach it.
 */
function writablePlaces({ objects, sharedWritable }: Remains): ReadonlyMap<string, number> {
  const places = new Map([...sharedWritable].map((familyId) => [familyId, 1]))
  for (const { familyId, state, isKnown } of objects)
    if (state === 'open' && isKnown) places.set(familyId, (places.get(familyId) ?? 0) + 1)
  return places
}

/**
 * Checks what must be true at any moment: a family never has two writable places. It may have none for a moment of a
 * move.
 */
export function assertOnePlaceAtMost(remains: Remains): void {
  const several = [...writablePlaces(remains)].filter(([, places]) => places > 1)
  assert.deepEqual(several, [], 'families can be written in several places')
}

/** Checks what must be true when no move is in progress. */
export function assertOnePlaceEach(remains: Remains, familyIds: readonly string[]): void {
  const places = writablePlaces(remains)
  const wrong = familyIds.filter((familyId) => places.get(familyId) !== 1)
  assert.deepEqual(wrong, [], 'families cannot be written in exactly one place')
  // What a family has left stays closed for a day.
  const left = remains.objects.filter(
    ({ isKnown, state }) => !isKnown || (state !== 'open' && state !== 'closed'),
  )
  assert.deepEqual(left, [], 'moves have left objects that nobody uses')
}

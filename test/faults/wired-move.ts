import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { KillableService, Tripwire } from '../support/killable-service.ts'
import type { PlaceKind } from './fleet.ts'
import { watchPhases } from './remains.ts'

/** A point of a move: before or after one of the calls that it makes. */
export interface Point {
  /** Which wire it is, from 0. */
  readonly wire: number
  /** What the call is, and on which side of it the point lies. */
  readonly name: string
  /** The phase of the move at that point; null: it had not begun. */
  readonly phase: string | null
}

/** The wires of a runtime, as the program outside sees them. */
export interface Wires {
  readonly tripwire: Tripwire
  /** From now on the points are noted, and the move goes on. */
  rehearse(): readonly Point[]
  /** From now on the move stops at the first wire that is asked about, for good, and `atPoint` is called. */
  cut(atPoint: () => void): void
}

export function createWires(state: string): Wires {
  let noted: Point[] = []
  let sinceMs = 0
  let atPoint: (() => void) | null = null
  return {
    async tripwire(name) {
      if (atPoint !== null) {
        atPoint()
        await new Promise(() => undefined)
      }
      const phases = watchPhases(state, sinceMs)
      const [phase = null] = phases.now()
      phases.close()
      noted.push({ wire: noted.length, name, phase })
    },
    rehearse() {
      noted = []
      sinceMs = Date.now()
      atPoint = null
      return noted
    },
    cut(then) {
      atPoint = then
    },
  }
}

interface SeenMove {
  readonly moveId: string
  readonly endedAt: string | null
}

const LOOK_EVERY_MS = 1_000

/**
 * Moves a family through the wires until it has ended. Rejects when the runtime is killed meanwhile.
 * @param cutAt the number of the wire that asks; null: all of them do
 */
export async function moveThroughWires(
  { origin }: KillableService,
  operatorKey: string,
  organizationId: string,
  place: PlaceKind,
  cutAt: number | null,
): Promise<void> {
  const headers = { authorization: `Bearer ${operatorKey}`, 'x-tripwire': String(cutAt ?? 'all') }
  const begun = await fetch(`${origin}/operator/v1/organizations/${organizationId}/move`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ place }),
  })
  assert.equal(begun.status, 200)
  let { move } = (await begun.json()) as { readonly move: SeenMove }
  while (move.endedAt === null) {
    await pause(LOOK_EVERY_MS)
    const response = await fetch(`${origin}/operator/v1/moves/${move.moveId}`, { headers })
    assert.equal(response.status, 200)
    move = (await response.json()) as SeenMove
  }
}

/** Points drawn from those of a rehearsal, from each phase in turn, so that the short ones are met as often as the long. */
export function drawPoints(rehearsed: readonly Point[], count: number, draw: () => number): readonly Point[] {
  const phases = [...new Set(rehearsed.map(({ phase }) => phase))]
  return Array.from({ length: count }, (_, index) => {
    const phase = phases[index % phases.length]
    const ofPhase = rehearsed.filter((point) => point.phase === phase)
    return ofPhase[Math.floor(draw() * ofPhase.length)] as Point
  })
}

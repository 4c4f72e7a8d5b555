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

/** Wires that are counted, and cut at one of them. */
export interface Wires {
  readonly tripwire: Tripwire
  /** Begins to count. `atPoint` is called at the wire of that number, which then never lets the move go on. */
  arm(cutAt: number | null, atPoint: () => void): void
  /** The points that were passed since then. */
  passed(): readonly Point[]
}

export function createWires(state: string): Wires {
  const points: Point[] = []
  let armedMs = 0
  let cut: { readonly at: number | null; readonly atPoint: () => void } = {
    at: null,
    atPoint: () => undefined,
  }
  return {
    async tripwire(name) {
      const phases = watchPhases(state, armedMs)
      const [phase = null] = phases.now()
      phases.close()
      const wire = points.length
      points.push({ wire, name, phase })
      if (cut.at === null || wire < cut.at) return
      if (wire === cut.at) cut.atPoint()
      await new Promise(() => undefined)
    },
    arm(at, atPoint) {
      points.length = 0
      armedMs = Date.now()
      cut = { at, atPoint }
    },
    passed: () => [...points],
  }
}

interface SeenMove {
  readonly moveId: string
  readonly endedAt: string | null
}

const LOOK_EVERY_MS = 1_000

/** Moves a family, all calls through the wires, until it has ended. Rejects when the runtime is killed meanwhile. */
export async function moveThroughWires(
  { origin }: KillableService,
  operatorKey: string,
  organizationId: string,
  place: PlaceKind,
): Promise<void> {
  const headers = { authorization: `Bearer ${operatorKey}`, 'x-tripwire': '1' }
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

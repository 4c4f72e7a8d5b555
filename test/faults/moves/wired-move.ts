import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { KillableService, Tripwire } from '../../support/services/killable-service.ts'
import { operatorCall } from '../../support/services/operator/operator-http.ts'
import type { PlaceKind } from './fleet.ts'

/** A point of a move: the moment before or after one of its calls. */
export interface Point {
  /** The phase of the move. */
  readonly phase: string
  /** The number of earlier points in the same phase. */
  readonly nth: number
  /** Names the call, and says whether the point is before or after it. */
  readonly name: string
}

/** Tripwires in the runtime's moves, as the program outside controls them. */
export interface Wires {
  readonly tripwire: Tripwire
  /** From now on points are recorded, and the move goes on. */
  rehearse(): readonly Point[]
  /** From now on the move stops for good at the first point that it reports, and `atPoint` is called. */
  cut(atPoint: (point: Point) => void): void
}

export function createWires(): Wires {
  let reached: (point: Point) => Promise<void> = () => Promise.resolve()
  return {
    tripwire(told) {
      const [, phase = '', nth = '', name = ''] = /^(\S+) (\d+) (.*)$/.exec(told) ?? []
      return reached({ phase, nth: Number(nth), name })
    },
    rehearse() {
      const noted: Point[] = []
      reached = async (point) => {
        noted.push(point)
      }
      return noted
    },
    cut(atPoint) {
      reached = async (point) => {
        atPoint(point)
        await new Promise(() => undefined)
      }
    },
  }
}

/** A move of a family that is to be made through the wires. */
export interface WiredMove {
  readonly to: PlaceKind
  /** Whether the move is given up as soon as it has started. */
  readonly isGivenUp: boolean
}

interface SeenMove {
  readonly moveId: string
  readonly endedAt: string | null
}

const LOOK_EVERY_MS = 1_000

/**
 * Moves a family through the wires until the move has ended. Rejects when the runtime is killed meanwhile.
 * @param point the point at which the move reports to the wires; null: it reports at every point
 */
export async function moveThroughWires(
  { origin }: KillableService,
  operatorKey: string,
  organizationId: string,
  { to, isGivenUp }: WiredMove,
  point: Point | null,
): Promise<void> {
  const path = `/operator/v1/organizations/${organizationId}/move`
  const call = operatorCall(origin, operatorKey)
  const wired = {
    'x-tripwire': point === null ? 'all' : `${point.phase} ${point.nth}`,
    authorization: `Bearer ${operatorKey}`,
  }
  const headers = { ...wired, 'content-type': 'application/json' }
  const begun = await call('POST', path, { headers, body: JSON.stringify({ place: to }) })
  assert.equal(begun.status, 200)
  let { move } = (await begun.json()) as { readonly move: SeenMove }
  if (isGivenUp) await call('POST', `${path}/abort`, { headers: wired })
  while (move.endedAt === null) {
    await pause(LOOK_EVERY_MS)
    const response = await fetch(`${origin}/operator/v1/moves/${move.moveId}`, { headers: wired })
    assert.equal(response.status, 200)
    move = (await response.json()) as SeenMove
  }
}

/**
 * Draws points from those of a rehearsal, from each phase in turn, so that short phases are drawn as often as long
 * ones.
 */
export function drawPoints(rehearsed: readonly Point[], count: number, draw: () => number): readonly Point[] {
  const phases = [...new Set(rehearsed.map(({ phase }) => phase))]
  return Array.from({ length: count }, (_, index) => {
    const phase = phases[index % phases.length]
    const ofPhase = rehearsed.filter((point) => point.phase === phase)
    return ofPhase[Math.floor(draw() * ofPhase.length)] as Point
  })
}

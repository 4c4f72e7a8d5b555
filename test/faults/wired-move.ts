import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { KillableService, Tripwire } from '../support/killable-service.ts'
import { operatorCall } from '../support/operator-http.ts'
import type { PlaceKind } from './fleet.ts'
import { watchPhases } from './remains.ts'

/** A point of a move: one side of one of the calls that it makes. */
export interface Point {
  /** The phase of the move. */
  readonly phase: string
  /** How many points of the phase lie before this one. */
  readonly nth: number
  /** What the call is, and on which side of it the point lies. */
  readonly name: string
}

/** The wires of a runtime, as the program outside sees them. */
export interface Wires {
  readonly tripwire: Tripwire
  /** From now on the points of a move are noted, and it goes on. */
  rehearse(): readonly Point[]
  /** From now on the move stops at such a point, for good, and `atPoint` is called. */
  cut(at: Point, atPoint: (point: Point) => void): void
}

export function createWires(state: string): Wires {
  let phases: ReturnType<typeof watchPhases> | null = null
  let noted: Point[] = []
  let reached: (point: Point) => Promise<void> = () => Promise.resolve()
  const begin = (then: typeof reached): void => {
    phases?.close()
    phases = watchPhases(state, Date.now())
    noted = []
    reached = then
  }
  return {
    async tripwire(name) {
      const [phase] = phases?.now() ?? []
      if (phase === undefined) return
      const point = { phase, nth: noted.filter((other) => other.phase === phase).length, name }
      noted.push(point)
      await reached(point)
    },
    rehearse() {
      begin(() => Promise.resolve())
      return noted
    },
    cut(at, atPoint) {
      begin(async (point) => {
        if (point.phase !== at.phase || point.nth < at.nth) return
        if (point.nth === at.nth) atPoint(point)
        await new Promise(() => undefined)
      })
    },
  }
}

/** A move of a family that is to be made. */
export interface WiredMove {
  readonly to: PlaceKind
  /** Whether it is given up as soon as it has begun. */
  readonly isGivenUp: boolean
}

interface SeenMove {
  readonly moveId: string
  readonly endedAt: string | null
}

const LOOK_EVERY_MS = 1_000

/** Moves a family through the wires until the move has ended. Rejects when the runtime is killed meanwhile. */
export async function moveThroughWires(
  { origin }: KillableService,
  operatorKey: string,
  organizationId: string,
  { to, isGivenUp }: WiredMove,
): Promise<void> {
  const path = `/operator/v1/organizations/${organizationId}/move`
  const call = operatorCall(origin, operatorKey)
  const wired = { 'x-tripwire': '1', authorization: `Bearer ${operatorKey}` }
  const headers = { ...wired, 'content-type': 'application/json' }
  const begun = await call('POST', path, { headers, body: JSON.stringify({ place: to }) })
  assert.equal(begun.status, 200)
  let { move } = (await begun.json()) as { readonly move: SeenMove }
  if (isGivenUp) await call('POST', `${path}/abort`)
  while (move.endedAt === null) {
    await pause(LOOK_EVERY_MS)
    const response = await fetch(`${origin}/operator/v1/moves/${move.moveId}`, { headers: wired })
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

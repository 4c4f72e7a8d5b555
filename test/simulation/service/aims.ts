import type { Process } from './processes/process.ts'
import type { Aims, Universe } from './universe.ts'

/** The calls of a move between which faults are aimed: of its ledger, and of the places. */
const CALLS = [
  ...(['take', 'turn', 'save', 'switch', 'askAbort'] as const),
  ...(['organizations', 'begin', 'read', 'write', 'counts', 'pause', 'finish', 'seal'] as const),
  ...(['close', 'resume', 'reopen', 'open', 'empty', 'forget'] as const),
] as const

const MOMENTS = ['before', 'after'] as const

/** When a fault strikes. Between the seal and the switch, both sides refuse writes, so more faults are aimed there. */
const TARGETS: readonly (readonly [(typeof MOMENTS)[number], string])[] = [
  ...CALLS.flatMap((call) => MOMENTS.map((moment) => [moment, call] as const)),
  ...Array.from({ length: 10 }, () => ['after', 'seal'] as const),
  ...Array.from({ length: 10 }, () => ['before', 'switch'] as const),
]

/** What happens at the moment of an aimed fault. A stall is longer than a mover has its lease. */
const EFFECTS = ['death', 'stall', 'lost', 'abort'] as const

const STRIKES_MAX = 4
const STRIKE_PERCENT = 80
const STALL_MS = 65_000
const STALL_MAX_MS = 60_000
/** How long a mover waits for the request that aborts its move to arrive, in ms. */
const ABORT_MS = 200

/** What an aimed fault does to the world besides waiting and failing. */
export interface AimedEffects {
  /** Ends the isolate of a process. */
  readonly kill: (process: Process) => void
  /** Requests that all moves be aborted. */
  readonly abortMoves: () => void
}

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>

/** Decides whether a run has an aimed fault, and at which call. */
export function createAims(
  { decide, faults, scheduler, trace, happened }: Omit<Universe, 'aims'>,
  effects: AimedEffects,
): Aims {
  const isAimed = !faults.isCalm && decide.chance('a fault is aimed', 85)
  const [moment, call] = TARGETS[decide.below('aimed', TARGETS.length)] ?? []
  const effect = decide.pick('the aimed fault', EFFECTS)
  let strikes = 0
  const strike = async (at: (typeof MOMENTS)[number], name: string, process: Process): Promise<void> => {
    if (!isAimed || at !== moment || name !== call || strikes >= STRIKES_MAX || faults.isMended()) return
    if (!decide.chance(`${effect} ${moment} ${call}`, STRIKE_PERCENT)) return
    strikes += 1
    trace.say(process.name, `${effect} ${moment} ${call} of a move`)
    switch (effect) {
      case 'death':
        effects.kill(process)
        happened('an isolate dies between two calls of a move')
        await new Promise(() => undefined)
        return
      case 'stall':
        happened('a mover stalls for longer than it has its lease')
        await scheduler.pause(STALL_MS + decide.delayMs('stalls', STALL_MAX_MS), process)
        return
      case 'lost':
        happened('a call of a move fails or its answer is lost')
        throw new Error('The call was lost.')
      case 'abort':
        happened('a move is to be aborted between two of its calls')
        effects.abortMoves()
        await scheduler.pause(ABORT_MS, process)
    }
  }
  const aimedAt = <Port extends object>(port: Port, process: Process): Port => {
    const aimed = Object.entries(port).map(([name, member]: [string, unknown]) => {
      if (typeof member !== 'function' || name !== call) return [name, member] as const
      const method: AnyMethod = async (...given) => {
        await strike('before', name, process)
        const result = await (member as AnyMethod)(...given)
        await strike('after', name, process)
        return result
      }
      return [name, method] as const
    })
    // Every member is there under its own name, with its own type.
    return Object.fromEntries(aimed) as unknown as Port
  }
  return { ledger: aimedAt, place: aimedAt }
}

import { toInstant } from '../../../domain/text/instant.ts'

/** What happened, in lines that a person can follow. */
export interface Trace {
  say(actor: string, text: string): void
  /** The lines that are kept, oldest first. */
  lines(): readonly string[]
}

const LAST_LINES = 60
const ACTOR_WIDTH = 12

/**
 * @param keepsAll whether every line is kept, or the last ones alone
 * @param now what stands at the beginning of a line: simulated time and the number of the step
 */
export function createTrace(
  keepsAll: boolean,
  now: () => { readonly nowMs: number; readonly step: number },
): Trace {
  let lines: string[] = []
  return {
    say(actor, text) {
      const { nowMs, step } = now()
      lines.push(
        `${toInstant(nowMs).slice(5, -1).replace('T', ' ')} #${String(step).padEnd(5)} ${actor.padEnd(ACTOR_WIDTH)} ${text}`,
      )
      if (!keepsAll && lines.length > 2 * LAST_LINES) lines = lines.slice(-LAST_LINES)
    },
    lines: () => (keepsAll ? lines : lines.slice(-LAST_LINES)),
  }
}

import { toInstant } from '../../../domain/text/instant.ts'

/** What happened, in lines for a person to read. */
export interface Trace {
  say(actor: string, text: string): void
  /** The last line of the previous event, without random ids and numbers. It names the moment of a decision. */
  moment(): string
  /** The lines that are kept, oldest first. */
  lines(): readonly string[]
}

const LAST_LINES = 60
const ACTOR_WIDTH = 12
const DRAWN = /\b\w*\d\w{3,}\b/g
const MOMENT_MAX = 60

/** Removes random ids and numbers from a text, so that it can name decisions. */
export function undrawn(text: string): string {
  return text.replaceAll(DRAWN, '…')
}

/**
 * @param keepsAll whether every line is kept, or only the last ones
 * @param now the beginning of a line: simulated time and the number of the step
 */
export function createTrace(
  keepsAll: boolean,
  now: () => { readonly nowMs: number; readonly step: number },
): Trace {
  let lines: string[] = []
  let last = { step: -1, moment: '' }
  return {
    say(actor, text) {
      const { nowMs, step } = now()
      const at = toInstant(nowMs).slice(5, -1).replace('T', ' ')
      lines.push(`${at} #${String(step).padEnd(5)} ${actor.padEnd(ACTOR_WIDTH)} ${text}`)
      last = { step, moment: `${actor}: ${undrawn(text).slice(0, MOMENT_MAX)}` }
      if (!keepsAll && lines.length > 2 * LAST_LINES) lines = lines.slice(-LAST_LINES)
    },
    // An event has its number only while it is running.
    moment: () => (last.step === now().step - 1 ? last.moment : 'nothing said'),
    lines: () => (keepsAll ? lines : lines.slice(-LAST_LINES)),
  }
}

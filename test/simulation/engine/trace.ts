import { toInstant } from '../../../domain/text/instant.ts'

/** What happened, in lines that a person can follow. */
export interface Trace {
  say(actor: string, text: string): void
  /** What was said last in the event that has just ended, without what is drawn in it: it names the moment for decisions. */
  moment(): string
  /** The lines that are kept, oldest first. */
  lines(): readonly string[]
}

const LAST_LINES = 60
const ACTOR_WIDTH = 12
const DRAWN = /\b\w*\d\w{3,}\b/g
const MOMENT_MAX = 60

/** A text without the ids and numbers that are drawn, so that it can name decisions. */
export function undrawn(text: string): string {
  return text.replaceAll(DRAWN, '…')
}

/**
 * @param keepsAll whether every line is kept, or the last ones alone
 * @param now what stands at the beginning of a line: simulated time and the number of the step
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
    // An event has its number while it happens.
    moment: () => (last.step === now().step - 1 ? last.moment : 'nothing said'),
    lines: () => (keepsAll ? lines : lines.slice(-LAST_LINES)),
  }
}

import { toInstant } from '../../../domain/text/instant.ts'

/** What happened, in lines for a person to read. */
export interface Trace {
  /** @param details more about it, which is only read when the line is shown */
  say(actor: string, text: string, details?: () => string): void
  /** The last line of the previous event, without random ids and numbers. It names the moment of a decision. */
  moment(): string
  /** All lines, oldest first. */
  lines(): readonly string[]
  /** The last lines, and before them all lines that name one of the subjects of a text, such as ids. */
  linesAbout(text: string): readonly string[]
  /** The lines that were said most often lately, without random ids and numbers, for a run that does not end. */
  repeated(): string
}

const LAST_LINES = 60
const ACTOR_WIDTH = 12
const DRAWN = /\b\w*\d\w{3,}\b/g
const MOMENT_MAX = 60
/** How many of the last lines are compared to find what repeats, and how many of them are shown. */
const COMPARED_LINES = 20_000
const REPEATED_MAX = 3

/** The ids in a text: those with a prefix, and those of keys and moves, which are letters and digits alone. */
const SUBJECT =
  /\b(?:(?:sub|obx|run|imp|con|snd)_\w+|(?=\w*\d)(?=\w*[a-zA-Z])(?:[0-9A-Za-z]{12}|[0-9a-f]{20}))\b/g

/** Removes random ids and numbers from a text, so that it can name decisions. */
export function undrawn(text: string): string {
  return text.replaceAll(DRAWN, '…')
}

interface Line {
  readonly nowMs: number
  readonly step: number
  readonly actor: string
  readonly text: string
  readonly details: (() => string) | undefined
}

/** @param now the beginning of a line: simulated time and the number of the step */
export function createTrace(now: () => { readonly nowMs: number; readonly step: number }): Trace {
  const said: Line[] = []
  const lines = (): readonly string[] => said.map(shown)
  return {
    say(actor, text, details) {
      said.push({ ...now(), actor, text, details })
    },
    moment() {
      const last = said.at(-1)
      // An event has its number only while it is running.
      if (last?.step !== now().step - 1) return 'nothing said'
      return `${last.actor}: ${undrawn(last.text).slice(0, MOMENT_MAX)}`
    },
    lines,
    linesAbout(text) {
      const subjects = [...new Set(text.match(SUBJECT) ?? [])]
      const all = lines()
      const about = all.slice(0, -LAST_LINES).filter((line) => subjects.some((each) => line.includes(each)))
      const heading =
        about.length === 0 ? [] : [`---- earlier, about ${subjects.join(', ')}`, ...about, '----']
      return [...heading, ...all.slice(-LAST_LINES)]
    },
    repeated() {
      const names = said.slice(-COMPARED_LINES).map(({ actor, text }) => undrawn(`${actor}: ${text}`))
      const counted = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }))
      return counted
        .sort((left, right) => right.length - left.length)
        .slice(0, REPEATED_MAX)
        .map(({ name, length }) => `${length} times ${name}`)
        .join('; ')
    },
  }
}

function shown({ nowMs, step, actor, text, details }: Line): string {
  const at = toInstant(nowMs).slice(5, -1).replace('T', ' ')
  const more = details?.() ?? ''
  return `${at} #${String(step).padEnd(5)} ${actor.padEnd(ACTOR_WIDTH)} ${text}${more === '' ? '' : ` · ${more}`}`
}

import { thrownAt } from '../domain/text/terminal.ts'
import type { Background, Clock, Deadline, Log, LogFields, RandomSource } from '../ports/platform.ts'

/** The platform's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() }

/** The platform's timers. */
export const systemDeadline: Deadline = { after: (durationMs) => AbortSignal.timeout(durationMs) }

/**
 * The platform's HTTP client. Wrapped in a function, because the platform's `fetch` must not be called as a method of
 * another object.
 */
export const systemFetch = (url: string, init: RequestInit): Promise<Response> => fetch(url, init)

/** The platform's cryptographically secure generator. */
export const systemRandom: RandomSource = {
  bytes(length) {
    if (drawn + length > reserve.length) {
      reserve = crypto.getRandomValues(new Uint8Array(Math.max(RESERVE_BYTES, length)))
      drawn = 0
    }
    drawn += length
    return reserve.subarray(drawn - length, drawn)
  },
}

/**
 * How many bytes are drawn from the generator at once. A request needs a few dozen in several small portions, and each
 * call of the generator costs the same.
 */
const RESERVE_BYTES = 1024
/** Bytes from the generator; those from the index `drawn` on have not been used yet. */
let reserve = new Uint8Array(0)
let drawn = 0

/**
 * Runs work after the response, and logs its failures.
 * @param keep tells the platform to wait for the work
 */
export function backgroundOn(log: Log, keep: (work: Promise<unknown>) => void = () => undefined): Background {
  return {
    run: (work) => {
      keep(
        work.catch((cause: unknown) => {
          log.error('background_failed', {}, cause)
        }),
      )
    },
  }
}

/** A log that writes one JSON object per line. */
export function lineLog(write: (level: 'info' | 'error', line: string) => void): Log {
  return {
    info: (event, fields) => {
      write('info', lineOf('info', event, fields))
    },
    error: (event, fields, cause) => {
      write('error', lineOf('error', event, { ...fields, ...describe(cause) }))
    },
  }
}

/** The log on the console, which the platform collects. */
export const consoleLog: Log = lineLog((level, line) => {
  if (level === 'error') console.error(line)
  else console.log(line)
})

/** The ports that every interface needs. */
export const systemPorts = {
  clock: systemClock,
  deadline: systemDeadline,
  random: systemRandom,
  log: consoleLog,
} as const

function lineOf(level: string, event: string, fields: LogFields): string {
  return JSON.stringify({ level, event, ...fields })
}

/**
 * The kind and place of an error, and of its cause. Messages are left out, because a storage error may quote the values
 * of a statement.
 */
function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return {}
  const own = { errorName: error.name, errorAt: thrownAt(error) }
  const { cause } = error
  return cause instanceof Error ? { ...own, causeName: cause.name, causeAt: thrownAt(cause) } : own
}

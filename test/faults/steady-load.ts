import { setTimeout as pause } from 'node:timers/promises'

/**
 * The maximum number of requests that wait for their answers at once. A service that is slower than the pace gets no
 * more than that. The requests that are sent late count as slow, because their times are measured from the moment at
 * which they were due.
 */
const WAITING_MAX = 64
/**
 * How far the load may fall behind its pace, in ms. What it would have sent before is left out, so that a machine which
 * is too slow for the pace is not kept busy by the load alone.
 */
const BEHIND_MAX_MS = 1_000

/** The outcome of requests that are sent at a steady pace, whether or not the previous ones have been answered. */
export interface LoadFigures {
  readonly answered: number
  /** Answers that are neither a page nor a receipt. */
  readonly wrong: readonly string[]
  /** Requests whose connection broke. */
  readonly broken: number
  /** The ids in the receipts. */
  readonly submissionIds: readonly string[]
  /** The time of each request from the moment at which it was due to its answer, ascending, in ms. */
  readonly durationsMs: readonly number[]
  /** The same times for the submissions alone, ascending, in ms. */
  readonly submittedMs: readonly number[]
}

export interface SteadyLoad {
  stop(): Promise<LoadFigures>
}

/** Reads a page of contacts and submits the demo's form in turn, at this number of requests a second at most. */
export function startSteadyLoad(origin: string, key: string, perSecond: number): SteadyLoad {
  const wrong: string[] = []
  const submissionIds: string[] = []
  const durationsMs: number[] = []
  const submittedMs: number[] = []
  const waiting = new Set<Promise<void>>()
  const state = { isStopping: false, broken: 0 }
  const one = async (number: number, dueAt: number) => {
    try {
      const response = await (number % 2 === 0 ? read(origin, key) : submit(origin, number))
      const text = await response.text()
      const durationMs = performance.now() - dueAt
      durationsMs.push(durationMs)
      if (number % 2 === 1) submittedMs.push(durationMs)
      const [, submissionId] = /"submissionId":"(\w+)"/.exec(text) ?? []
      if (number % 2 === 1 && submissionId !== undefined) submissionIds.push(submissionId)
      if (response.status !== 200) wrong.push(`${response.status} ${text.slice(0, 200)}`)
    } catch {
      state.broken += 1
    }
  }
  const sending = (async () => {
    let dueAt = performance.now()
    for (let number = 0; !state.isStopping; number += 1) {
      await pause(Math.max(0, dueAt - performance.now()))
      while (waiting.size >= WAITING_MAX) await Promise.race(waiting)
      if (performance.now() - dueAt > BEHIND_MAX_MS) {
        await Promise.all(waiting)
        dueAt = performance.now()
      }
      const request = one(number, dueAt).finally(() => waiting.delete(request))
      waiting.add(request)
      dueAt += 1_000 / perSecond
    }
  })()
  return {
    async stop() {
      state.isStopping = true
      await sending
      await Promise.all(waiting)
      for (const durations of [durationsMs, submittedMs]) durations.sort((left, right) => left - right)
      const { broken } = state
      return { answered: durationsMs.length, wrong, broken, submissionIds, durationsMs, submittedMs }
    },
  }
}

function read(origin: string, key: string): Promise<Response> {
  return fetch(`${origin}/api/v1/contacts?limit=50`, { headers: { authorization: `Bearer ${key}` } })
}

function submit(origin: string, number: number): Promise<Response> {
  return fetch(`${origin}/api/forms/demo-contact/submissions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      _gotcha: '',
      firstName: 'Ada',
      email: `visitor${number % 100}@example.com`,
      message: `Message ${number}`,
    }),
  })
}

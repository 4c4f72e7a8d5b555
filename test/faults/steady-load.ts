import { setTimeout as pause } from 'node:timers/promises'

/** What came of requests that were sent at a steady pace, most of them whether or not the ones before were answered. */
export interface LoadFigures {
  readonly answered: number
  /** Answers that are neither a page nor a receipt. */
  readonly wrong: readonly string[]
  /** Requests whose connection broke. */
  readonly broken: number
  /** The ids in the receipts. */
  readonly submissionIds: readonly string[]
  /** How long answers took, ascending, in ms. */
  readonly durationsMs: readonly number[]
  /** How long the submissions among them took, ascending, in ms. */
  readonly submittedMs: readonly number[]
}

export interface SteadyLoad {
  stop(): Promise<LoadFigures>
}

/** More requests than that do not wait at once: a machine that cannot keep the pace would gather them without end. */
const WAITING_MAX = 16

/** Reads a page of contacts and submits the demo's form, in turn, so many requests a second, or fewer. */
export function startSteadyLoad(origin: string, key: string, perSecond: number): SteadyLoad {
  const wrong: string[] = []
  const submissionIds: string[] = []
  const durationsMs: number[] = []
  const submittedMs: number[] = []
  const waiting = new Set<Promise<void>>()
  const state = { isStopping: false, broken: 0 }
  const one = async (number: number) => {
    const startedAt = performance.now()
    try {
      const response = await (number % 2 === 0 ? read(origin, key) : submit(origin, number))
      const text = await response.text()
      const durationMs = performance.now() - startedAt
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
    const startedAt = performance.now()
    for (let number = 0; !state.isStopping; number += 1) {
      const request = one(number).finally(() => waiting.delete(request))
      waiting.add(request)
      const nextAt = startedAt + ((number + 1) * 1_000) / perSecond
      await pause(Math.max(0, nextAt - performance.now()))
      if (waiting.size >= WAITING_MAX) await Promise.race(waiting)
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

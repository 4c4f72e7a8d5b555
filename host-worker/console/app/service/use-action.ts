import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { doublingPauses, repeatWhileRejected, type Backoff } from '../../../../domain/bounds/backoff.ts'
import { ClientContext, type Client } from './client.ts'
import { Failure, failureOf, type FailureKind } from './failure.ts'

/** Something that a person does, such as saving. */
export interface Action<Input> {
  /** Does it, once at a time. */
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  /** Why it was not done the last time; null: it was, or was not tried. */
  readonly failure: Failure | null
  readonly forget: () => void
}

/**
 * Makes a change by the service.
 * @param act makes the calls
 * @param onDone called with what they answered
 */
export function useAction<Input = undefined, Result = unknown>(
  act: (client: Client, input: Input) => Promise<Result>,
  onDone: (result: Result, input: Input) => void = () => undefined,
): Action<Input> {
  const client = useContext(ClientContext)
  const [{ isRunning, failure }, setState] = useState<Pick<Action<Input>, 'isRunning' | 'failure'>>(IDLE)
  const run = (input: Input): void => {
    if (isRunning) return
    setState({ isRunning: true, failure: null })
    act(client, input).then(
      (result) => {
        setState(IDLE)
        onDone(result, input)
      },
      (thrown: unknown) => {
        setState({ isRunning: false, failure: failureOf(thrown) })
      },
    )
  }
  const forget = (): void => {
    setState(IDLE)
  }
  return { run, isRunning, failure, forget }
}

const IDLE = { isRunning: false, failure: null } as const

/** Something that takes a while, such as an export. */
interface LongAction<Input, Progress> extends Action<Input> {
  /** How far it is; null: nothing is known yet. */
  readonly progress: Progress | null
  /** Stops it. What was done so far stays done. */
  readonly stop: () => void
}

/** What the work is given besides the client and its input. */
export interface Work<Progress> {
  /** Aborted when it is stopped, and when its page goes. */
  readonly signal: AbortSignal
  readonly report: (progress: Progress) => void
}

/**
 * Does something that takes a while, as `useAction` does, with progress. It is stopped when the component goes.
 * @param act makes the calls
 * @param onDone called with what it comes to, unless it was stopped
 */
export function useLongAction<Progress, Input = undefined, Result = unknown>(
  act: (client: Client, input: Input, work: Work<Progress>) => Promise<Result>,
  onDone: (result: Result, input: Input) => void = () => undefined,
): LongAction<Input, Progress> {
  const [progress, setProgress] = useState<Progress | null>(null)
  const report = (value: Progress | null): void => {
    setProgress(() => value)
  }
  const running = useRef<AbortController | null>(null)
  const stop = (): void => {
    running.current?.abort()
  }
  useEffect(() => stop, [])
  const action = useAction<Input, { readonly result: Result } | null>(
    async (client, input) => {
      const { signal } = (running.current = new AbortController())
      report(null)
      try {
        return { result: await act(client, input, { signal, report }) }
      } catch (error) {
        if (signal.aborted) return null
        throw error
      }
    },
    (outcome, input) => {
      if (outcome !== null) onDone(outcome.result, input)
    },
  )
  return { ...action, progress, stop }
}

/** About half a minute in all: long enough for a service to restart. */
const BACKOFF: Backoff = { pausesMs: doublingPauses(200, 8, 8_000), spread: { least: 0.5, most: 1.5 } }

/** The kinds of failures after which another attempt may be answered. */
const PASSING: ReadonlySet<FailureKind> = new Set(['offline', 'unexpected'])

/**
 * Makes a call that is safe to repeat: again after a moment when the service was not reached, or failed. Throws the
 * failure of the last attempt.
 * @param signal ends the attempts
 * @param onFailure called with each failure after which it is tried again
 */
export function repeated<Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
  onFailure: (failure: Failure) => void = () => undefined,
): Promise<Result> {
  const isPassing = (thrown: unknown): boolean => {
    const isPast = !signal.aborted && thrown instanceof Failure && PASSING.has(thrown.kind)
    if (isPast) onFailure(thrown)
    return isPast
  }
  const wait = (durationMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  return repeatWhileRejected(BACKOFF, { isPassing, draw: () => Math.random(), wait }, call)
}

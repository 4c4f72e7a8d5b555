import { useEffect, useRef, useState } from 'preact/hooks'
import type { Client } from './client.ts'
import type { Action } from './use-action.ts'
import { useAction } from './use-action.ts'

/** Something that takes a while, such as an export. */
export interface LongAction<Input, Progress> extends Action<Input> {
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

import { useContext, useState } from 'preact/hooks'
import { ClientContext } from './context.ts'
import type { Client } from './client.ts'
import type { Failure } from './failure.ts'
import { failureOf } from './failure.ts'

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

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { processTree } from '../../support/services/process-tree.ts'
import type { RunnerAnswer, RunnerRequest, TestFileResult } from './messages.ts'

/** How a run ended: all tests passed, this file failed, or the time of a test or of the run was over. */
export type Outcome =
  | { readonly kind: 'survived' }
  | { readonly kind: 'killed' | 'timeout'; readonly by?: string; readonly reason: string }

/** The reason of an outcome after which the runner is gone. */
export const DID_NOT_END = 'The tests did not end.'

/** A process that runs tests of a copy of the project. */
export interface Runner {
  /** Runs test files in this order until one fails. After a timeout, the runner must be replaced. */
  run(testFiles: readonly string[], changed: string, timeoutMs: number): Promise<Outcome>
  /** Runs test files, whether they pass or fail. */
  runAll(testFiles: readonly string[]): Promise<readonly TestFileResult[]>
  stop(): Promise<void>
}

/** Starts a runner. With a directory `noted`, the functions of the copy note their calls there. */
export type StartRunner = (options: { readonly copy: string; readonly noted?: string }) => Promise<Runner>

export const startRunner: StartRunner = async ({ copy, noted }) => {
  const preload = pathToFileURL(join(import.meta.dirname, '..', 'reach', 'note-calls.mjs')).href
  const child = fork(join(import.meta.dirname, 'main.ts'), {
    cwd: copy,
    env: {
      ...process.env,
      SYSTEM_TESTS: 'too',
      LONG_TESTS: 'too',
      MUTATION_COPY: copy,
      ...(noted === undefined ? {} : { MUTATION_NOTED: noted, NODE_OPTIONS: `--import=${preload}` }),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const gone = once(child, 'exit').then((): RunnerAnswer => ({ results: [], problem: 'The runner ended.' }))
  const ask = async (request: RunnerRequest): Promise<RunnerAnswer> => {
    child.send(request)
    return Promise.race([once(child, 'message').then(([answer]) => answer as RunnerAnswer), gone])
  }
  return {
    async run(testFiles, changed, timeoutMs) {
      const { promise: time, resolve } = Promise.withResolvers<null>()
      const timer = setTimeout(resolve, timeoutMs, null)
      const answer = await Promise.race([ask({ testFiles, changed }), time])
      clearTimeout(timer)
      if (answer === null) {
        await endTree(child)
        return { kind: 'timeout', reason: DID_NOT_END }
      }
      const failed = answer.results.find(({ passes }) => !passes)
      const reason = failed?.problem ?? answer.problem
      if (reason === null) return { kind: 'survived' }
      const kind = /(?:Test|Hook) timed out in/.test(reason) ? 'timeout' : 'killed'
      return { kind, reason, ...(failed === undefined ? {} : { by: failed.file }) }
    },
    async runAll(testFiles) {
      const { results, problem } = await ask({ testFiles, changed: null })
      if (results.length === 0) throw new Error(`The tests could not be run: ${problem ?? 'there are none'}`)
      return results
    },
    stop: () => endTree(child),
  }
}

/** Ends a process and everything that it has started. */
async function endTree(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const exited = once(child, 'exit')
  for (const { pid } of processTree(child.pid).toReversed()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended since the processes were listed.
    }
  }
  await exited
}

import { readdirSync, readFileSync } from 'node:fs'
import { processTree } from '../support/process-tree.ts'

/** The processes of the runtime that this process has started so far. */
export function runtimePids(): readonly number[] {
  return processTree(process.pid)
    .filter(({ command }) => /^\S*workerd /.test(command))
    .map(({ pid }) => pid)
}

/**
 * How long a process has kept a processor busy since it began, in ms; null where the system does not tell. It is the sum
 * over the threads that the process has now, because the system counts a process as a whole in steps of 10 ms only. The
 * threads of the runtime last as long as it does.
 */
export function cpuMsOf(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const spentNs = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return spentNs.reduce((sum, each) => sum + each, 0) / 1e6
  } catch {
    return null
  }
}

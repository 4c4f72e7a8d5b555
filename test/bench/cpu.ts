import { readdirSync, readFileSync } from 'node:fs'
import { processTree } from '../support/services/process-tree.ts'

/** The processes of the runtime that this process has started so far. */
export function runtimePids(): readonly number[] {
  return processTree(process.pid)
    .filter(({ command }) => /^\S*workerd /.test(command))
    .map(({ pid }) => pid)
}

/**
 * How long a process has used a processor since it began, in ms; null where the system does not tell. It is the sum
 * over the present threads of the process, because the system counts a whole process only in steps of 10 ms. The
 * threads of the runtime last as long as their process.
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

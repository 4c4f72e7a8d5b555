import { readdirSync, readFileSync } from 'node:fs'
import { processTree } from '../support/process-tree.ts'

/** Ticks of the processor clock in a second, as Linux counts them for programs whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100

/** The processes of the runtime that this process has started so far. */
export function runtimePids(): readonly number[] {
  return processTree(process.pid)
    .filter(({ command }) => /^\S*workerd /.test(command))
    .map(({ pid }) => pid)
}

/** How long a process has kept a processor busy since it began, in ms; null where the system does not tell. */
export function cpuMsOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in brackets, which may hold anything; user and system time are 12 and 13 on.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  } catch {
    return null
  }
}

/**
 * The same as `cpuMsOf`, finely enough for a start: the sum over the threads that the process has now, in ms; null where
 * the system does not tell.
 */
export function threadsCpuMsOf(pid: number): number | null {
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

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process of this machine. */
export interface SeenProcess {
  readonly pid: number
  readonly parentPid: number
  readonly groupId: number
  readonly command: string
}

/** Lists all processes. */
function listProcesses(): readonly SeenProcess[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,args='], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupId, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined) return []
    return [{ pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), command }]
  })
}

/** A process and all its descendants, parents before children. */
export function processTree(rootPid: number): readonly SeenProcess[] {
  const all = listProcesses()
  const tree = all.filter(({ pid }) => pid === rootPid)
  // The list grows during the loop.
  for (const parent of tree) tree.push(...all.filter(({ parentPid }) => parentPid === parent.pid))
  return tree
}

/** Those of these processes that are still running. A process that has ended but was not waited for does not count. */
export function stillRunning(pids: readonly number[]): readonly SeenProcess[] {
  const wanted = new Set(pids)
  return listProcesses().filter(({ pid, command }) => wanted.has(pid) && !command.includes('<defunct>'))
}

/** The peak memory of a process, in whole MiB; null when it has ended, or when the system does not tell. */
export function peakMiB(pid: number): number | null {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kib === undefined ? null : Math.round(Number(kib) / 1024)
  } catch {
    return null
  }
}

/** The processes of the local runtime below a process. */
export function runtimeProcesses(rootPid: number): readonly SeenProcess[] {
  return processTree(rootPid).filter(({ command }) => /^\S*workerd /.test(command))
}

/** The peak memory of a process of the local runtime below this process, in MiB; null when the system does not tell. */
export function runtimePeakMiB(rootPid: number): number | null {
  const peaks = runtimeProcesses(rootPid).flatMap(({ pid }) => peakMiB(pid) ?? [])
  return peaks.length === 0 ? null : Math.max(...peaks)
}

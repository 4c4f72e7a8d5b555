import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../local/root.ts'

/** A running program with all processes that it starts, in their own process group. */
export interface Supervised {
  /** Resolves when the whole group has ended. */
  readonly ended: Promise<void>
  /** Ends the group. Resolves like `ended`. */
  stop(): Promise<void>
}

/** Runs a program on the project's own Node such that none of its processes outlives this one. */
export function startSupervised(args: readonly string[]): Supervised {
  const supervisor = join(import.meta.dirname, 'supervised.mjs')
  const child = spawn(process.execPath, [supervisor, process.execPath, ...args], {
    cwd: projectRoot,
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit').then(() => {
    killRest(child)
  })
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { ended, stop }
}

/**
 * Kills what is left of a process group. The leader kills its group when it ends, so processes are left only when the
 * leader itself was killed.
 */
function killRest(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has no more processes.
  }
}

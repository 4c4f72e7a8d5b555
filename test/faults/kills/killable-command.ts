import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { scratchDirectory } from '../../support/services/started-service.ts'

/** An operator command in a process of its own, which can be killed. */
export interface KillableCommand {
  readonly child: ChildProcess
  /** Its exit code, when it has ended; null: it was killed. */
  code(): Promise<number | null>
}

/** The commands in progress, which must not outlive this process. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a command on a state directory. The login of the real user is not used. */
export function startCommand(stateDirectory: string, ...args: readonly string[]): KillableCommand {
  const main = join(projectRoot, 'host-worker', 'operator', 'main.ts')
  const child = spawn(process.execPath, [main, ...args], {
    cwd: projectRoot,
    env: { ...process.env, XDG_CONFIG_HOME: scratchDirectory(), STATE_DIR: stateDirectory },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  running.add(child)
  const closed = once(child, 'close')
  return {
    child,
    async code() {
      await closed
      running.delete(child)
      return child.exitCode
    },
  }
}

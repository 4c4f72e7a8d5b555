import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../host-worker/dev/root.ts'

/** A command of the tour and what it printed. */
export interface Ran {
  readonly command: string
  readonly output: string
  readonly exitCode: number
}

const HEADING = '## Three-minute tour'
/** Stands between the outputs of two commands; no answer holds it. */
const SEPARATOR = '\u001e'

/** The commands of the README's tour, in their order, without comments. */
export function tourCommands(): readonly string[] {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
  const section = readme.slice(readme.indexOf(HEADING) + HEADING.length).split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** Runs the tour in one shell, as somebody who pastes it; only the address of the service is another one. */
export async function runTour(origin: string, stateDirectory: string): Promise<readonly Ran[]> {
  const commands = tourCommands().map((command) => command.replace(/^BASE=.*/, `BASE=${origin}`))
  const script = commands.map((command) => `${command}\nprintf '${SEPARATOR}%s${SEPARATOR}' "$?"`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: projectRoot,
    env: { ...process.env, STATE_DIR: stateDirectory },
    maxBuffer: 50_000_000,
  })
  const parts = stdout.split(SEPARATOR)
  return commands.map((command, index) => ({
    command,
    output: parts[2 * index] ?? '',
    exitCode: Number(parts[2 * index + 1]),
  }))
}

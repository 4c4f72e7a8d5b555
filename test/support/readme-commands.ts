import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The commands of one block of the README. */
export interface Block {
  /** The section that it stands in. */
  readonly heading: string
  /** Without comments, one a line. */
  readonly commands: readonly string[]
}

/** A command and what it printed. */
export interface Ran {
  readonly command: string
  readonly output: string
  readonly exitCode: number
}

/** Stands between the outputs of two commands; no answer holds it. */
const SEPARATOR = '\u001e'

/** Every block of shell commands of the README in a directory, in their order. */
export function commandBlocks(directory: string): readonly Block[] {
  const readme = readFileSync(join(directory, 'README.md'), 'utf8')
  return readme.split(/^## /m).flatMap((section) => {
    const heading = section.split('\n')[0] ?? ''
    return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => ({
      heading,
      commands: commandsOf(block),
    }))
  })
}

function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/\s{2,}# .*$/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** Runs commands in one shell, as somebody who pastes them; only the address of the service is another one. */
export async function runCommands(
  given: readonly string[],
  { directory, origin, stateDirectory }: Readonly<Record<'directory' | 'origin' | 'stateDirectory', string>>,
): Promise<readonly Ran[]> {
  const commands = given.map((command) => command.replace(/^BASE=http\S+$/, `BASE=${origin}`))
  const script = commands.map((command) => `${command}\nprintf '${SEPARATOR}%s${SEPARATOR}' "$?"`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: directory,
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

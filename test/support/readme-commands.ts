import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Manual } from './manuals.ts'
import { manualsOf } from './manuals.ts'

/** The commands of one block of a manual. */
export interface Block {
  /** The path of the manual from the project's root. */
  readonly path: string
  /** The heading of the section that shows the block. */
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

/** Separates the outputs of two commands; no answer contains it. */
const SEPARATOR = '\u001e'

/** Every block of shell commands in the manuals of a directory, those of the README at the top first, in their order. */
export function commandBlocks(directory: string): readonly Block[] {
  return manualsOf(directory).flatMap(blocksOf)
}

/** A fenced block with its language, or a heading. A line of a block that begins with `#` is no heading. */
const BLOCK_OR_HEADING = /^```(\w*)\n(.*?)^```|^#+ ([^\n]+)/gms

function blocksOf({ path, text }: Manual): readonly Block[] {
  let heading = ''
  return [...text.matchAll(BLOCK_OR_HEADING)].flatMap(([, language, block = '', title]) => {
    heading = title ?? heading
    return language === 'sh' ? [{ path, heading, commands: commandsOf(block) }] : []
  })
}

function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/\s{2,}# .*$/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** Runs commands in one shell, like somebody who pastes them. Only the address of the service is replaced. */
export async function runCommands(
  given: readonly string[],
  { directory, origin, stateDirectory }: Readonly<Record<'directory' | 'origin' | 'stateDirectory', string>>,
): Promise<readonly Ran[]> {
  const commands = given.map((command) => command.replace(/^BASE=http\S+$/, `BASE=${origin}`))
  const script = commands.map((command) => `${command}\nprintf '${SEPARATOR}%s${SEPARATOR}' "$?"`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: directory,
    // What the user of this machine logged in at must not be touched.
    env: { ...process.env, STATE_DIR: stateDirectory, XDG_CONFIG_HOME: stateDirectory },
    maxBuffer: 50_000_000,
  })
  const parts = stdout.split(SEPARATOR)
  return commands.map((command, index) => ({
    command,
    output: parts[2 * index] ?? '',
    exitCode: Number(parts[2 * index + 1]),
  }))
}

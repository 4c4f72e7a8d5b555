import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { manualsOf, type Manual } from './manuals.ts'

/** The commands of one block of a manual. */
export interface Block {
  /** The path of the manual from the project's root. */
  readonly path: string
  /** The heading of the section that shows the block. */
  readonly heading: string
  /** The commands without comments. */
  readonly commands: readonly string[]
}

/** A command and its output. */
export interface Ran {
  readonly command: string
  readonly output: string
  /** What it wrote to standard error. */
  readonly told: string
  readonly exitCode: number
  readonly durationMs: number
}

/** Separates the outputs of two commands; no answer contains it. */
const SEPARATOR = '\u001e'

/**
 * Every block of shell commands in the manuals of a directory, in order, beginning with those of the README in the
 * root.
 */
export function commandBlocks(directory: string): readonly Block[] {
  return manualsOf(directory).flatMap(blocksOf)
}

/** Matches a fenced block with its language, or a heading. A line in a block that begins with `#` is not a heading. */
const BLOCK_OR_HEADING = /^```(\w*)\n(.*?)^```|^#+ ([^\n]+)/gms

function blocksOf({ path, text }: Manual): readonly Block[] {
  let heading = ''
  return [...text.matchAll(BLOCK_OR_HEADING)].flatMap(([, language, block = '', title]) => {
    heading = title ?? heading
    return language === 'sh' ? [{ path, heading, commands: commandsOf(block) }] : []
  })
}

/** Matches a line, with the text that it gives a command after `<<'WORD'`. */
const LINE = /^.*<<'(\w+)'.*\n[^]*?^\1$|^.+$/gm

function commandsOf(block: string): readonly string[] {
  const lines = block.replaceAll('\\\n', ' ').match(LINE) ?? []
  return lines
    .map((line) => line.replace(/\s{2,}# .*$/, ''))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** Runs commands in one shell, as if a person pasted them. Only the address of the service is replaced. */
export async function runCommands(
  given: readonly string[],
  { directory, origin, stateDirectory }: Readonly<Record<'directory' | 'origin' | 'stateDirectory', string>>,
): Promise<readonly Ran[]> {
  const commands = given.map((command) => command.replace(/^BASE=http\S+$/, `BASE=${origin}`))
  const end = `printf '${SEPARATOR}%s %s${SEPARATOR}' "$?" "$EPOCHREALTIME"; printf '${SEPARATOR}' >&2`
  // The first command does nothing, and tells when the second begins.
  const script = [':', ...commands].map((command) => `${command}\n${end}`).join('\n')
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
    cwd: directory,
    // The real user's login must not be used or changed.
    env: { ...process.env, STATE_DIR: stateDirectory, XDG_CONFIG_HOME: stateDirectory },
    maxBuffer: 50_000_000,
  })
  const parts = stdout.split(SEPARATOR).slice(1)
  const told = stderr.split(SEPARATOR).slice(1)
  const ends = parts.filter((_, index) => index % 2 === 0).map((text) => text.split(' ').map(Number))
  return commands.map((command, index) => {
    const [[, begunAt = NaN] = [], [exitCode = NaN, endedAt = NaN] = []] = ends.slice(index, index + 2)
    return {
      command,
      output: parts[2 * index + 1] ?? '',
      told: told[index] ?? '',
      exitCode,
      durationMs: 1000 * (endedAt - begunAt),
    }
  })
}

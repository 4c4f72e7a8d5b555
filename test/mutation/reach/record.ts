import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../../../host-worker/local/project.ts'
import { edited } from '../mutant.ts'
import { parsed, productFiles, projectFiles, supportFiles, testFiles, textOf } from '../project.ts'
import type { StartRunner } from '../runner/client.ts'
import { noteName } from './note-name.ts'
import { functionsOf } from './owners.ts'

/** What a test file does while nothing is wrong. */
export interface TestFile {
  readonly durationMs: number
  readonly passes: boolean
  /** The functions that it calls: their files, with the numbers of the functions in them. */
  readonly calls: Readonly<Record<string, readonly number[]>>
}

export type Reach = Readonly<Record<string, TestFile>>

const CACHE = join(projectRoot, 'node_modules', '.cache', 'mutation-reach.json')

interface Kept {
  /** A hash of everything but the test files. */
  readonly version: string
  readonly tests: Readonly<Record<string, TestFile & { readonly version: string }>>
}

/**
 * Which functions each test file calls, by a run of the tests in which every function notes its call. The result is
 * kept: a test file runs again when it changes, and all do when anything else changes.
 * @param copy a copy of the project, in which the files are changed for that run
 * @param within only the test files whose paths begin with one of these
 */
export async function recordReach(
  copy: string,
  startRunner: StartRunner,
  within: readonly string[],
): Promise<Reach> {
  const version = versionOf(
    projectFiles().filter((path) => !/^test\/mutation\/|\.test\.ts$|\.md$/.test(path)),
  )
  const versions = new Map(testFiles().map((file) => [file, versionOf([file])]))
  const known = existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, 'utf8')) as Kept) : null
  const kept = Object.entries(known?.version === version ? known.tests : {}).filter(
    ([file, test]) => versions.get(file) === test.version,
  )
  const keptFiles = new Set(kept.map(([file]) => file))
  const isWanted = (file: string) => within.some((beginning) => file.startsWith(beginning))
  const missing = [...versions.keys()].filter((file) => isWanted(file) && !keptFiles.has(file))
  const found = missing.length === 0 ? {} : await runNoting(missing, copy, startRunner)
  const tests = {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(
      Object.entries(found).map(([file, test]) => [file, { ...test, version: versions.get(file) ?? '' }]),
    ),
  }
  mkdirSync(dirname(CACHE), { recursive: true })
  writeFileSync(CACHE, JSON.stringify({ version, tests } satisfies Kept))
  return Object.fromEntries(Object.entries(tests).filter(([file]) => isWanted(file)))
}

/** Runs test files while functions note their calls. */
async function runNoting(wanted: readonly string[], copy: string, startRunner: StartRunner): Promise<Reach> {
  const noted = join(copy, 'node_modules', '.noted')
  mkdirSync(noted)
  const files = [...productFiles(), ...supportFiles()]
  for (const file of files) writeFileSync(join(copy, file), noting(file))
  const runner = await startRunner({ copy, noted })
  const results = await runner.runAll(wanted)
  await runner.stop()
  for (const file of files) writeFileSync(join(copy, file), textOf(file))
  const reach = Object.fromEntries(
    results.map(({ file, durationMs, passes }) => [
      file,
      { durationMs, passes, calls: callsOf(noted, file) },
    ]),
  )
  rmSync(noted, { recursive: true })
  return reach
}

function versionOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(projectRoot, file)))
  return hash.digest('hex')
}

/** The text of a file whose functions note their calls, where a test run has set up how. */
function noting(file: string): string {
  const source = parsed(file)
  const edits = functionsOf(source).flatMap(({ body }, number) => {
    const note = `globalThis.noteCall?.(${JSON.stringify(`${file}\t${number}`)})`
    const start = body.getStart(source)
    if (source.text[start] === '{') return [{ start: start + 1, end: start + 1, text: `${note};` }]
    return [
      { start, end: start, text: `(${note}, ` },
      { start: body.end, end: body.end, text: ')' },
    ]
  })
  return edited(source.text, edits)
}

function callsOf(noted: string, testFile: string): Readonly<Record<string, readonly number[]>> {
  const calls: Record<string, number[]> = {}
  if (!readdirSync(noted).includes(noteName(testFile))) return calls
  for (const line of readFileSync(join(noted, noteName(testFile)), 'utf8').split('\n')) {
    const [file = '', number = ''] = line.split('\t')
    // A process that was killed may have left half a line.
    if (/^\d+$/.test(number)) (calls[file] ??= []).push(Number(number))
  }
  return calls
}

/**
 * Makes small mistakes in the product, one at a time, and tells which of them no test notices: see README.md.
 * Exits with 1 when a mistake was missed and --at-least is given and not reached.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCompiler } from './compile.ts'
import type { Mutant } from './mutant.ts'
import { edited, nameOf } from './mutant.ts'
import { copyProject, mutantsOf, productFiles, textOf } from './project.ts'
import { recordReach } from './reach/record.ts'
import type { Reach } from './reach/record.ts'
import { createTestChoice } from './reach/choose-tests.ts'
import { createTestsOf } from './reach/tests-of.ts'
import type { Result } from './report.ts'
import { isMissed, lineOf, scoreLine, scoreOf } from './report.ts'
import type { Runner } from './runner/client.ts'
import { startRunner } from './runner/client.ts'

const FOLDERS = [
  'domain/placement',
  'domain/jobs',
  'domain/access',
  'adapters/sqlite',
  'adapters/durable-object',
]
/** A mutant may take this many times the time of its tests, and so much longer: a worker process is started for it. */
const PATIENCE = 5
const START_MS = 30_000

const { values: given } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true, default: FOLDERS },
    share: { type: 'string', default: '1' },
    depth: { type: 'string', default: '0.1' },
    seed: { type: 'string', default: '1' },
    again: { type: 'string' },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
})
const share = part('share', given.share)
const depth = part('depth', given.depth)

function part(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 1)) refuse(`--${name} is a number above 0 and up to 1, not ${text}`)
  return value
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The mutants of a folder that were asked for: those that an earlier report missed, or a share that the seed chooses. */
function chosen(folder: string): readonly Mutant[] {
  const all = productFiles([folder.endsWith('.ts') ? folder : `${folder}/`]).flatMap(mutantsOf)
  if (given.again === undefined) return all.filter((mutant) => luck(mutant) < share)
  const { results } = JSON.parse(readFileSync(given.again, 'utf8')) as { readonly results: readonly Result[] }
  const names = new Set(results.filter(isMissed).map(nameOf))
  return all.filter((mutant) => names.has(nameOf(mutant)))
}

/** A number from 0 to 1 that depends on the seed and the mutant, so that a mutant stays chosen when others appear. */
function luck(mutant: Mutant): number {
  const hash = createHash('sha256')
    .update(`${given.seed}\0${nameOf(mutant)}`)
    .digest()
  return hash.readUInt32BE() / 2 ** 32
}

const mutants = new Map(given.folder.map((folder) => [folder, chosen(folder)]))
if (given.list) {
  for (const [folder, each] of mutants) say(`${folder}: ${each.length} mutants`)
  process.exit(0)
}
const compiler = createCompiler()
const copy = copyProject()
try {
  const reach = await recordReach(copy, startRunner)
  for (const [file, { passes }] of Object.entries(reach))
    if (!passes) say(`left out, as it fails by itself: ${file}`)
  await judgeAll(reach)
} finally {
  rmSync(copy, { recursive: true, force: true })
}

async function judgeAll(reach: Reach): Promise<void> {
  const testsOf = createTestsOf(compiler.program(), reach)
  const choice = createTestChoice(reach, depth)
  const results: Result[] = []
  let runner: Runner | null = null
  for (const [folder, some] of mutants) {
    const ofFolder: Result[] = []
    for (const mutant of some) {
      runner ??= await startRunner({ copy })
      const result = await judge(mutant, choice.choose(mutant.file, testsOf(mutant)), reach, runner)
      if (result.outcome === 'timeout') runner = null
      if (result.by !== undefined) choice.noticed(result.by)
      ofFolder.push(result)
      say(lineOf(result))
    }
    say(scoreLine(folder, scoreOf(ofFolder)))
    results.push(...ofFolder)
    if (given.json !== undefined) writeReport(given.json, results)
  }
  await runner?.stop()
  for (const folder of mutants.keys())
    say(scoreLine(folder, scoreOf(results.filter(({ file }) => file.startsWith(folder)))))
}

function writeReport(path: string, results: readonly Result[]): void {
  const scores = Object.fromEntries(
    [...mutants.keys()].map((folder) => [
      folder,
      scoreOf(results.filter(({ file }) => file.startsWith(folder))),
    ]),
  )
  writeFileSync(path, `${JSON.stringify({ seed: given.seed, share, scores, results }, null, 2)}\n`)
}

async function judge(
  mutant: Mutant,
  testFiles: readonly string[],
  reach: Reach,
  runner: Runner,
): Promise<Result> {
  const { file, line, kind, before, after } = mutant
  const startMs = performance.now()
  const as = (outcome: Result['outcome'], by?: string): Result => ({
    ...{ file, line, kind, before, after, outcome },
    ...(by === undefined ? {} : { by }),
    durationMs: Math.round(performance.now() - startMs),
  })
  const original = textOf(file)
  const text = edited(original, mutant.edits)
  if (!compiler.compiles(file, text)) return as('refused')
  if (testFiles.length === 0) return as('unreached')
  const usualMs = testFiles.reduce((sum, each) => sum + (reach[each]?.durationMs ?? 0), 0)
  writeFileSync(join(copy, file), text)
  const outcome = await runner.run(testFiles, file, START_MS + PATIENCE * usualMs)
  writeFileSync(join(copy, file), original)
  return outcome.kind === 'killed' ? as('killed', outcome.by) : as(outcome.kind)
}

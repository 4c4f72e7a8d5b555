/** Makes small mistakes in the product, one at a time, and tells which of them no test notices: see README.md. */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCompiler } from './compile.ts'
import { edited, nameOf, type Mutant } from './mutant.ts'
import { copyProject, mutantsOf, productFiles, textOf } from './project.ts'
import { createTestChoice } from './reach/choose-tests.ts'
import { recordReach, type Reach } from './reach/record.ts'
import { createTestsOf } from './reach/tests-of.ts'
import { isMissed, lineOf, scoreLine, scoreOf, type Result } from './report.ts'
import { DID_NOT_END, startRunner, type Outcome, type Runner } from './runner/client.ts'

const FOLDERS = [
  'domain/placement',
  'domain/jobs',
  'domain/access',
  'domain/organizations',
  'domain/imports',
  'domain/forms',
  'adapters/sqlite',
  'adapters/durable-object',
]
/** A mutant may take this many times the usual time of its tests, and so much longer for the start of its process. */
const PATIENCE = 3
const START_MS = 30_000

const { values: given } = parseArgs({
  options: {
    folder: { type: 'string', multiple: true, default: FOLDERS },
    share: { type: 'string', default: '1' },
    most: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    depth: { type: 'string', default: '0.1' },
    tests: { type: 'string', multiple: true, default: [''] },
    again: { type: 'string' },
    json: { type: 'string' },
    'at-least': { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
})
const share = numberOf('share', given.share, 1)
const depth = numberOf('depth', given.depth, 1)
const most = numberOf('most', given.most, 100_000)
const atLeast = numberOf('at-least', given['at-least'], 100)

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text)
  if (text !== '' && value >= 0 && value <= most) return value
  process.stderr.write(`--${name} is a number from 0 to ${most}, not ${text}\n`)
  process.exit(2)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/**
 * The mutants of a folder or file, in the order of their luck: those that an earlier report missed, or the share that
 * the seed chooses.
 */
function chosen(folder: string): readonly Mutant[] {
  const all = productFiles(folder)
    .flatMap(mutantsOf)
    .map((mutant) => ({ mutant, luck: luckOf(mutant) }))
    .toSorted((left, right) => left.luck - right.luck)
  if (given.again === undefined)
    return all.flatMap(({ mutant, luck }, index) => (luck < share && index < most ? [mutant] : []))
  const { results } = JSON.parse(readFileSync(given.again, 'utf8')) as { readonly results: readonly Result[] }
  const missed = new Set(results.filter(isMissed).map(nameOf))
  return all.flatMap(({ mutant }) => (missed.has(nameOf(mutant)) ? [mutant] : []))
}

/** The folders' mutants in turn, so that a run that is ended early has tried each folder. */
function inTurn(lists: readonly (readonly Mutant[])[]): readonly Mutant[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat()
}

/** A number from 0 to 1 that depends on the seed and the mutant: a mutant stays chosen when others come and go. */
function luckOf(mutant: Mutant): number {
  const hash = createHash('sha256')
    .update(`${given.seed}\0${nameOf(mutant)}`)
    .digest()
  return hash.readUInt32BE() / 2 ** 32
}

const mutants = new Map(given.folder.map((folder) => [folder, chosen(folder)]))
if (given.list) {
  for (const [folder, { length }] of mutants) say(`${folder}: ${length} mutants`)
  process.exit()
}

const compiler = createCompiler()
const copy = copyProject()
process.on('exit', () => {
  rmSync(copy, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

const reach = await recordReach(copy, startRunner, given.tests)
for (const [file, { passes }] of Object.entries(reach))
  if (!passes) say(`left out, as it fails without a mistake: ${file}`)
const results = await judgeAll(reach)
const scores = [...mutants.keys()].map((folder) => [folder, scoreIn(folder, results)] as const)
for (const [folder, score] of scores) say(scoreLine(folder, score))
if (scores.some(([, { percentage }]) => percentage < atLeast)) process.exitCode = 1

function scoreIn(folder: string, among: readonly Result[]) {
  return scoreOf(among.filter(({ file }) => file.startsWith(folder)))
}

async function judgeAll(known: Reach): Promise<readonly Result[]> {
  const testsOf = createTestsOf(compiler.program(), known)
  const choice = createTestChoice(known, depth)
  const done: Result[] = []
  let runner: Runner | null = null
  for (const mutant of inTurn([...mutants.values()])) {
    runner ??= await startRunner({ copy })
    const testFiles = choice.choose(mutant.file, testsOf(mutant))
    const usualMs = testFiles.reduce((sum, file) => sum + (known[file]?.durationMs ?? 0), 0)
    const result = await judge(mutant, testFiles, START_MS + PATIENCE * usualMs, runner)
    if (result.reason === DID_NOT_END) runner = null
    if (result.by !== undefined) choice.noticed(result.by)
    done.push(result)
    say(lineOf(result))
    if (given.json !== undefined) writeReport(given.json, done)
  }
  await runner?.stop()
  return done
}

/** Written after each mutant, so that a run can be ended at any time. */
function writeReport(path: string, done: readonly Result[]): void {
  const scores = Object.fromEntries([...mutants.keys()].map((folder) => [folder, scoreIn(folder, done)]))
  writeFileSync(
    path,
    `${JSON.stringify({ seed: given.seed, share, depth, scores, results: done }, null, 2)}\n`,
  )
}

type Ended = Outcome | { readonly kind: 'refused' | 'unreached' }

async function judge(
  mutant: Mutant,
  testFiles: readonly string[],
  timeoutMs: number,
  runner: Runner,
): Promise<Result> {
  const { file, line, kind, before, after } = mutant
  const startMs = performance.now()
  const as = ({ kind: outcome, ...why }: Ended): Result => ({
    ...{ file, line, kind, before, after, outcome, ...why },
    durationMs: Math.round(performance.now() - startMs),
  })
  const original = textOf(file)
  const text = edited(original, mutant.edits)
  if (!compiler.compiles(file, text)) return as({ kind: 'refused' })
  if (testFiles.length === 0) return as({ kind: 'unreached' })
  writeFileSync(join(copy, file), text)
  const outcome = await runner.run(testFiles, file, timeoutMs)
  writeFileSync(join(copy, file), original)
  return as(outcome)
}

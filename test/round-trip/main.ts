/**
 * Checks the law of the round trip on rows drawn from seeds: `--seed N --rows M --place NAME`. `--mutants`: plants every
 * mistake of mutants.ts in turn, and prints the seed that finds it; with `--part K/N` only every Nth, from the Kth on.
 * `--mutant "NAME"`: plants that mistake in this run. Exits with 1 when a difference is found, or with `--mutants` when none is.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { createChecks } from '../support/runner/checks.ts'
import { partOf } from '../support/runner/part.ts'
import { mutants } from './mutants/mutants.ts'
import { plant } from './mutants/planted.ts'
import type { PlaceName, Run } from './run.ts'

/** A mistake that so many rows do not show would be found too seldom. */
const MUTANT_ROWS = 30_000

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string' },
    rows: { type: 'string', default: '5000' },
    'rows-per-kind': { type: 'string', default: '40' },
    place: {
      type: 'string',
      multiple: true,
      default: ['node-shared', 'node-own', 'worker-shared', 'worker-own'],
    },
    mutants: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
    mutant: { type: 'string' },
  },
})
const seed = given.seed === undefined ? Date.now() % 1_000_000 : wholeNumber('seed', given.seed)
const rows = wholeNumber('rows', given.rows)
const rowsPerKind = wholeNumber('rows-per-kind', given['rows-per-kind'])
const { check, say, report } = createChecks()

if (given.mutants) {
  const chosen = partOf(mutants, given.part)
  if (chosen === null) refuse(`--part is K/N, not ${given.part}`)
  for (const { name } of chosen)
    await check(name, () => {
      find(name)
    })
} else await runPlaces()
report()

function wholeNumber(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`--${name} is a whole number, not ${text}`)
}

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

async function runPlaces(): Promise<void> {
  const mutant = mutants.find(({ name }) => name === given.mutant)
  if (given.mutant !== undefined && mutant === undefined)
    throw new Error(`There is no mistake "${given.mutant}"`)
  if (mutant !== undefined) plant(mutant)
  // The modules of the service are loaded only now, so that the mistake is in them.
  const { checkPlace, placeNames } = await import('./run.ts')
  for (const name of given.place) {
    const isPlace = (text: string): text is PlaceName => text in placeNames
    if (!isPlace(name))
      throw new Error(`--place is one of ${Object.keys(placeNames).join(', ')}, not ${name}`)
    await check(`${name} from seed ${seed}`, async () => {
      const startedMs = performance.now()
      const run = await checkPlace(name, {
        seed,
        rows,
        rowsPerKind,
        onProgress: (soFar) => {
          progress(name, soFar)
        },
      })
      if (run.difference !== null)
        throw new Error(
          `seed ${run.seed}: ${run.difference}\nAgain: --seed ${run.seed} --rows 1 --rows-per-kind ${rowsPerKind} --place ${name}`,
        )
      const seconds = Math.round((performance.now() - startedMs) / 1000)
      say(
        `        ${run.rows} rows, ${run.answers} answers with ${run.answeredRows} rows, ${seconds} s; the next seed is ${run.seed}`,
      )
    })
  }
}

function progress(name: string, { rows: compared, seed: next }: Run): void {
  process.stderr.write(`${name}: ${compared} rows, up to seed ${next - 1}\n`)
}

/** Looks for a mistake in a process of its own, because a module is loaded only once. */
function find(name: string): void {
  // The objects of this place run all code that the other places run, and some of their own.
  const options = [
    '--mutant',
    name,
    '--seed',
    String(seed),
    '--rows',
    String(MUTANT_ROWS),
    '--place',
    'node-own',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, ...options], {
    encoding: 'utf8',
  })
  const found = /seed \d+: .*/.exec(stdout)?.[0]
  if (found === undefined) throw new Error(`No seed finds it: ${stdout}${stderr}`)
  say(`        ${found.slice(0, 160)}`)
}

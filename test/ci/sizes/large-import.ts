import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectRoot } from '../../../host-worker/local/project.ts'
import type { Checks } from '../../support/runner/checks.ts'
import { contactLines, writeNdjson } from '../../support/data/contact-files.ts'
import {
  operate,
  operateOrThrow,
  scratchDirectory,
  type Operated,
} from '../../support/services/started-service.ts'
import { walk } from '../../support/data/walk.ts'

const ROWS = 100_000
const FEW_ROWS = 1_000
/** As many as take long enough for a terminal to be drawn on more than once. */
const SHOWN_ROWS = 30_000

/**
 * The additional memory allowed for a hundred times as many rows: chunks in progress, the ids seen, and garbage that
 * was not collected yet.
 */
const GROWTH_MAX_MIB = 192
/** The most memory that the importer may take, including the runtime behind its connection to the local database. */
const PEAK_MAX_MIB = 640

/** Imports 100,000 rows in bounded memory, and some of them again on a terminal, which shows how far it is. */
export async function importLargeFiles(
  { check, say }: Pick<Checks, 'check' | 'say'>,
  state: string,
  origin: string,
): Promise<void> {
  const files = scratchDirectory()
  const path = (name: string): string => join(files, name)
  const lines = contactLines(ROWS, 4)
  writeNdjson(path('large.ndjson'), lines)
  writeNdjson(path('few.ndjson'), lines.slice(0, FEW_ROWS))
  writeNdjson(path('shown.ndjson'), lines.slice(0, SHOWN_ROWS))
  const importInto = async (organizationId: string, name: string): Promise<Operated> => {
    const startedAt = performance.now()
    const outcome = await operate(state, 'import', 'contacts', path(name), '--org', organizationId)
    const seconds = (performance.now() - startedAt) / 1000
    const memory = outcome.peakMemoryMiB === null ? '' : `, at most ${Math.round(outcome.peakMemoryMiB)} MiB`
    say(`        ${name} → ${organizationId}: ${seconds.toFixed(1)} s${memory}`)
    return outcome
  }
  const rowsOf = async (organizationId: string): Promise<number> => {
    const key = await operateOrThrow(state, 'key', 'issue', '--org', organizationId)
    return (await walk(origin, '/api/v1/contacts?limit=500', key)).rows.length
  }
  for (const id of ['few', 'large']) await operateOrThrow(state, 'org', 'create', '--id', id, '--name', id)

  await check(`${ROWS} rows are imported in bounded memory`, async () => {
    const few = await importInto('few', 'few.ndjson')
    const startedAt = performance.now()
    const large = await importInto('large', 'large.ndjson')
    const seconds = (performance.now() - startedAt) / 1000
    say(`        ${Math.round(ROWS / seconds)} rows a second, the start of the command included`)
    assert.equal(large.code, 0, large.stderr)
    assert.equal(large.stdout.trim(), `contacts: ${ROWS} read, ${ROWS} changed, 0 unchanged`)
    assert.equal(await rowsOf('large'), ROWS)
    const [fewMiB, largeMiB] = [few.peakMemoryMiB, large.peakMemoryMiB]
    if (fewMiB === null || largeMiB === null) return
    assert(largeMiB <= PEAK_MAX_MIB, `${largeMiB} MiB`)
    assert(largeMiB - fewMiB <= GROWTH_MAX_MIB, `${largeMiB - fewMiB} MiB more than for ${FEW_ROWS} rows`)
  })
  await check('a terminal shows how far it is, and how many rows a second', async () => {
    const seen = await onTerminal(state, 'import', 'contacts', path('shown.ndjson'), '--org', 'large')
    for (const pass of ['checking', 'writing']) {
      const drawn = [
        ...seen.matchAll(new RegExp(`${pass} contacts: ([\\d,]+) rows, ([\\d,]+) a second`, 'g')),
      ]
      const rows = drawn.map(([, count = '']) => Number(count.replaceAll(',', '')))
      assert.equal(rows.at(-1), SHOWN_ROWS, `${pass} was drawn ${rows.length} times`)
      assert.deepEqual(
        rows,
        rows.toSorted((left, right) => left - right),
      )
      say(`        ${String(drawn.at(-1)?.[0])}`)
    }
    assert(seen.includes(`contacts: ${SHOWN_ROWS} read, 0 changed, ${SHOWN_ROWS} unchanged`))
  })
}

/** The output of an operator command on a terminal, which the program `script` provides. */
async function onTerminal(stateDirectory: string, ...args: readonly string[]): Promise<string> {
  const main = join(projectRoot, 'host-worker', 'operator', 'main.ts')
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: projectRoot,
    env: { ...process.env, STATE_DIR: stateDirectory, XDG_CONFIG_HOME: stateDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 0, output)
  return output
}

import { createHash } from 'node:crypto'
import { createD1Storage } from '../../adapters/d1/index.ts'
import { PART_BYTES } from '../../domain/imports/file/transfer.ts'
import { targetIn } from '../../domain/imports/sessions.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { utf8 } from '../../domain/text/encoding.ts'
import { systemClock } from '../../host-worker/system.ts'
import { importInParts, importWorld, toolsWithoutSecrets } from '../support/data/imports.ts'
import { openLocalD1 } from '../support/databases/d1-runtime.ts'
import { quantile } from './compare.ts'

/** How many contacts a file has. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 20_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6)
/** The share of the speed with ids that an import without them is to reach. */
const AIM = 0.8

/**
 * The first column of a file; null: it has none, and each row is of whoever has its email or phone. Ids in the order of
 * their rows, as those are that an import makes, are written to the end of the index; those that another system has drawn
 * are written all over it.
 */
const idColumns: Readonly<Record<string, ((row: number) => string) | null>> = {
  'without ids': null,
  'with ids that are drawn': (row) =>
    `con_${createHash('sha256').update(String(row)).digest('base64url').slice(0, 22)}`,
  'with ids in the order of the rows': (row) => `c-${row}`,
}

/**
 * Imports a file of new contacts into a D1 of the local runtime, without ids and with them in turn, each time into another
 * organization, and prints how fast that is and how the speeds compare. `IMPORT_ROWS` sets how many contacts the file has
 * (20,000), `BENCH_ROUNDS` how often (6). A first round, in which everything is loaded, is not counted.
 */
export async function benchImports(): Promise<void> {
  const databases = await openLocalD1(1)
  const storage = createD1Storage({ database: await databases.next(), clock: systemClock })
  let organizations = 0
  const rateOf = async (file: Uint8Array<ArrayBuffer>): Promise<number> => {
    const organization = newOrganization(`org-${(organizations += 1)}`, 'Bench')
    await storage.administration.saveOrganization(organization)
    const target = targetIn(importWorld(storage, organization, toolsWithoutSecrets(systemClock)))
    const beganMs = performance.now()
    const answer = await importInParts(target, { kind: 'contacts', format: 'csv' }, file, PART_BYTES)
    const tookMs = performance.now() - beganMs
    if (!('session' in answer) || answer.session.state !== 'done' || answer.session.changedRows !== ROWS)
      throw new Error(`An import did not end as it should: ${JSON.stringify(answer)}`)
    return (ROWS / tookMs) * 1_000
  }
  const sides = Object.entries(idColumns).map(([name, idOf]) => ({
    name,
    file: fileOf(idOf),
    rates: [] as number[],
  }))
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Each is first, in the middle and last equally often.
    const from = round % sides.length
    for (const { file, rates } of [...sides.slice(from), ...sides.slice(0, from)]) {
      const rate = await rateOf(file)
      if (round > 0) rates.push(rate)
    }
  }
  await databases.dispose()
  console.log(`import of ${ROWS} contacts, ${ROUNDS} rounds`)
  for (const { name, rates } of sides) console.log(`  ${name.padEnd(34)}  ${spread(rates, 0)} rows/s`)
  const [without, ...others] = sides
  for (const { name, rates } of others) {
    const ratios = rates.map((rate, round) => (without?.rates[round] ?? NaN) / rate)
    console.log(`  without ids, to ${name}: ${spread(ratios, 2)} (aim: at least ${AIM})`)
  }
}

/** A list of people as a spreadsheet has it. */
function fileOf(idOf: ((row: number) => string) | null): Uint8Array<ArrayBuffer> {
  const lines = [`${idOf === null ? '' : 'contactId,'}firstName,lastName,email,phone`]
  for (let row = 0; row < ROWS; row += 1) {
    const phone = `+1212${String(5_550_000 + row).padStart(7, '0')}`
    const id = idOf === null ? '' : `${idOf(row)},`
    lines.push(`${id}Ada,Lovelace ${row},person.${row}@example.com,${phone}`)
  }
  return utf8(`${lines.join('\r\n')}\r\n`)
}

/** The median, and the middle half. */
function spread(values: readonly number[], digits: number): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(digits))
  return `${middle} (${low} to ${high})`
}

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
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** The share of the speed with ids that an import without them is to reach. */
const AIM = 0.8

/** Whether the file has the column `contactId`. Without it, each row is of whoever has its email or phone. */
type Ids = 'with ids' | 'without ids'

/**
 * Imports a file of new contacts into a D1 of the local runtime, with and without ids in turn, each time into another
 * organization, and prints how fast that is and how the two speeds compare. `IMPORT_ROWS` sets how many contacts the file
 * has (20,000), `BENCH_ROUNDS` how often (5). The first round, in which everything is loaded, is not counted.
 */
export async function benchImports(): Promise<void> {
  const databases = await openLocalD1(1)
  const storage = createD1Storage({ database: await databases.next(), clock: systemClock })
  const files = { 'with ids': fileOf('with ids'), 'without ids': fileOf('without ids') }
  let imported = 0
  const rateOf = async (ids: Ids): Promise<number> => {
    const organization = newOrganization(`org-${(imported += 1)}`, 'Bench')
    await storage.administration.saveOrganization(organization)
    const target = targetIn(importWorld(storage, organization, toolsWithoutSecrets(systemClock)))
    const beganMs = performance.now()
    const answer = await importInParts(target, { kind: 'contacts', format: 'csv' }, files[ids], PART_BYTES)
    const tookMs = performance.now() - beganMs
    if (!('session' in answer) || answer.session.state !== 'done' || answer.session.changedRows !== ROWS)
      throw new Error(`An import ${ids} did not end as it should: ${JSON.stringify(answer)}`)
    return (ROWS / tookMs) * 1_000
  }
  const rates: Record<Ids, number>[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Whatever the second of a round has of the first is the other's in the next round.
    const order: readonly Ids[] = round % 2 === 0 ? ['with ids', 'without ids'] : ['without ids', 'with ids']
    const measured = new Map<Ids, number>()
    for (const ids of order) measured.set(ids, await rateOf(ids))
    const [withIds = NaN, withoutIds = NaN] = [measured.get('with ids'), measured.get('without ids')]
    if (round > 0) rates.push({ 'with ids': withIds, 'without ids': withoutIds })
  }
  await databases.dispose()
  console.log(`import of ${ROWS} contacts, ${ROUNDS} rounds`)
  for (const ids of ['with ids', 'without ids'] as const)
    console.log(
      `  ${ids.padEnd(11)}  ${spread(
        rates.map((rate) => rate[ids]),
        0,
      )} rows/s`,
    )
  const ratios = rates.map((rate) => rate['without ids'] / rate['with ids'])
  console.log(`  without ids to with ids: ${spread(ratios, 2)} (aim: at least ${AIM})`)
}

/** A list of people as a spreadsheet has it. */
function fileOf(ids: Ids): Uint8Array<ArrayBuffer> {
  const lines = ['firstName,lastName,email,phone']
  for (let row = 0; row < ROWS; row += 1)
    lines.push(
      `Ada,Lovelace ${row},person.${row}@example.com,+1212${String(5_550_000 + row).padStart(7, '0')}`,
    )
  const named =
    ids === 'without ids'
      ? lines
      : lines.map((line, row) => `${row === 0 ? 'contactId' : `c-${row}`},${line}`)
  return utf8(`${named.join('\r\n')}\r\n`)
}

/** The median, and the middle half. */
function spread(values: readonly number[], digits: number): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(values, share).toFixed(digits))
  return `${middle} (${low} to ${high})`
}

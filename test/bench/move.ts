import { createExecutor, createMeter } from '../../adapters/d1/index.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { createStorage, type Executor } from '../../adapters/sqlite/index.ts'
import { systemClock } from '../../host-worker/system.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import { migratedImage } from '../support/databases/migrated-image.ts'
import { openLocalD1 } from '../support/databases/d1-runtime.ts'
import type { FakeClock } from '../support/runner/fakes.ts'
import { movingPlaces, toOwn, toShared } from '../support/moving/moving.ts'

/** How many contacts the family has. */
const ROWS = Number(process.env.MOVE_ROWS ?? 100_000)
const FILLED_AT_ONCE = 20_000

/**
 * Moves a family from a D1 of the local runtime into a database of its own and back, and prints how long that takes and
 * for how long writes pause, and what the shared database reads and writes for it. `MOVE_ROWS` sets how many contacts
 * the family has (100,000). A move of the service takes twice as long, because it rests after each step.
 */
export async function benchMove(): Promise<void> {
  const databases = await openLocalD1(1)
  const meter = createMeter()
  let skippedMs = 0
  const clock: FakeClock = {
    nowMs: () => Date.now() + skippedMs,
    set: () => undefined,
    advance: (ms) => {
      skippedMs += ms
    },
  }
  const shared = createExecutor({ database: await databases.next(), clock, meter })
  await fill(shared)
  const places = movingPlaces({ clock, image: migratedImage(), sharedExecutor: shared, rowsMax: 200 })
  const measure = async (name: string, work: () => Promise<string>) => {
    const before = { ...meter }
    const beganMs = performance.now()
    const told = await work()
    const seconds = (performance.now() - beganMs) / 1_000
    const [read, written] = [meter.rowsRead - before.rowsRead, meter.rowsWritten - before.rowsWritten]
    process.stdout.write(
      `${name}: ${seconds.toFixed(1)} s${told}; the shared database read ${read} rows and wrote ${written}, in ${meter.calls - before.calls} calls\n`,
    )
  }
  const move = (to: PlaceChoice) => async () => {
    const { phase, shown, tries } = await places.move('acme', to)
    if (phase !== 'done' || shown === null) throw new Error(`The move ended as ${phase}`)
    return `, ${shown.copiedRows} rows copied, writes paused for ${String(shown.pausedMs)} ms, ${tries} attempts given back`
  }
  await measure('to its own database', move(toOwn))
  await measure('deleting what the source kept', async () => (await places.tidy(), ''))
  await measure('back to the shared one', move(toShared))
  await databases.dispose()
}

/** Makes a family with contacts, as an import would have written them. */
async function fill(shared: Executor): Promise<void> {
  const { administration } = createStorage({ executor: shared, clock: systemClock, isShared: true })
  await administration.saveOrganization(newOrganization('acme', 'Acme'))
  for (let start = 0; start < ROWS; start += FILLED_AT_ONCE)
    await shared.batch([
      {
        sql: `insert into contacts (organization_id, contact_id, first_name, email, tags, email_consent, sms_consent,
            created_at, updated_at)
          select 'acme', 'c-' || value, 'Ada', 'contact' || value || '@example.com', '[]', 'unknown', 'unknown',
            '2025-01-10T12:00:00.000Z', (select clock_at from organizations where organization_id = 'acme')
          from (with recursive n(value) as (select ?1 union all select value + 1 from n where value < ?2) select value from n)`,
        parameters: [start, Math.min(start + FILLED_AT_ONCE, ROWS) - 1],
      },
    ])
}

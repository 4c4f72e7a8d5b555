import { join } from 'node:path'
import { readKey } from '../../domain/access/keys.ts'
import { placeObject } from '../support/databases/d1-files.ts'
import { forgedKey } from '../support/data/forged-key.ts'
import { get, type Shot } from './cases.ts'
import { quantile, runLoad } from './compare.ts'
import { enterDirectory, openObject } from './own-files.ts'
import { buildWorker, changed, filesWith, seedImage } from './prepare.ts'
import { OBJECTS_KEY, startTarget } from './runtime.ts'

/** How many forged keys are sent for each organization. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4_000)

/** The organization that the seeded database has. Here it lives in a database of its own. */
const OWN = 'bench'
const SHARED = 'share'
/** The names are as long as each other, so that the length of the request tells nothing. */
const claimed: Readonly<Record<string, string>> = {
  'has a database of its own': OWN,
  'lives in the shared database': SHARED,
  'does not exist': 'nobo1',
  'does not exist either': 'nobo2',
}

/**
 * Measures how long the refusal of a forged key takes: for an organization in each place, and for two that do not
 * exist, between which every difference is noise. Each round sends one forged key for each of them, and a true key of
 * the organization with its own database, so that the isolate knows where that is; the order is drawn anew each time.
 */
export async function benchUnauthorized(folder: string): Promise<void> {
  const script = buildWorker(folder)
  const { image, key } = await seedImage(script, folder)
  const directory = changed(image, (sqlite) => {
    enterDirectory(sqlite, { organizationId: OWN, keyIds: [readKey(key)?.keyId ?? ''], formIds: [] })
    const columns = sqlite.prepare("select name from pragma_table_info('organizations')").all()
    const copied = columns.map(({ name }) =>
      name === 'organization_id' ? `'${SHARED}'` : `"${String(name)}"`,
    )
    sqlite.exec(`insert into organizations select ${copied.join(', ')} from organizations`)
  })
  const object = changed(image, (sqlite) => {
    openObject(sqlite, OWN)
  })
  const files = filesWith(directory, folder, 'unauthorized')
  placeObject(join(files, 'do'), OBJECTS_KEY, `${OWN}.1`, object)
  const { runtime, origin } = await startTarget(script, files)
  const shots = shotsOf(key)
  const warmUp = shots.slice(0, Math.floor(shots.length / 10))
  await runLoad(origin, warmUp, warmUp.length, 1)
  const { latenciesMs } = await runLoad(origin, shots, shots.length, 1)
  await runtime.dispose()
  print(shots, latenciesMs)
}

interface NamedShot extends Shot {
  /** What is true of the organization; null: the key is a true one. */
  readonly name: string | null
}

function shotsOf(key: string): readonly NamedShot[] {
  const path = '/api/v1/contacts?limit=500'
  const round: readonly NamedShot[] = [
    { ...get(key, '/api/v1/sites?limit=1'), name: null },
    ...Object.entries(claimed).map(([name, organizationId]) => {
      return { ...get(forgedKey(organizationId, 'A'.repeat(12)), path), status: 401, name }
    }),
  ]
  return Array.from({ length: ROUNDS }, () => shuffled(round)).flat()
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  const drawn = items.map((item) => ({ item, at: Math.random() }))
  return drawn.toSorted((left, right) => left.at - right.at).map(({ item }) => item)
}

function print(shots: readonly NamedShot[], latenciesMs: readonly number[]): void {
  // A load sends its shots from the last to the first.
  const sent = shots.toReversed()
  for (const name of Object.keys(claimed)) {
    const latencies = latenciesMs.filter((_, index) => sent[index]?.name === name)
    const at = (share: number) => quantile(latencies, share).toFixed(3)
    console.log(
      `401 for an organization that ${name}: median ${at(0.5)} ms (${at(0.25)}–${at(0.75)}, 5 % ${at(0.05)}, 95 % ${at(0.95)})`,
    )
  }
}

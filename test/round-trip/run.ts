import { scratchDirectory } from '../support/services/started-service.ts'
import { checkWorld, type Compared } from './model/law.ts'
import { Difference } from './difference.ts'
import { nodePlace, startWorkerPlace, type Place } from './places.ts'
import { drawWorld } from './world.ts'

/** How each kind of place is opened, by the name that the command line gives it. */
export const placeNames = {
  'node-shared': () => nodePlace('shared'),
  'node-own': () => nodePlace('own'),
  'worker-shared': () => startWorkerPlace(scratchDirectory(), 'shared'),
  'worker-own': () => startWorkerPlace(scratchDirectory(), 'own'),
} as const satisfies Readonly<Record<string, () => Promise<Place>>>

export type PlaceName = keyof typeof placeNames

/** Worlds that were checked in one place, one for each seed. */
export interface Run extends Compared {
  /** The first seed that was not checked, or the one that found a difference. */
  readonly seed: number
  /** Null: all answers were as they must be. */
  readonly difference: string | null
}

export interface RunOptions {
  readonly seed: number
  /** How many rows are imported at least. */
  readonly rows: number
  readonly rowsPerKind: number
  /** Called after each world. */
  readonly onProgress: (soFar: Run) => void
}

/** A service keeps the rows of so many worlds at most, in memory where it runs in this process. */
const WORLDS_PER_PLACE = 10

/** Checks worlds of one seed after the other until enough rows were compared, or a difference is found. */
export async function checkPlace(
  name: PlaceName,
  { seed, rows, rowsPerKind, onProgress }: RunOptions,
): Promise<Run> {
  let run: Run = { seed, rows: 0, answers: 0, answeredRows: 0, difference: null }
  while (run.rows < rows && run.difference === null) {
    const place = await placeNames[name]()
    for (
      let worlds = 0;
      worlds < WORLDS_PER_PLACE && run.rows < rows && run.difference === null;
      worlds += 1
    ) {
      run = await after(run, place, rowsPerKind)
      onProgress(run)
    }
    run = await closed(run, place)
  }
  return run
}

async function after(run: Run, place: Place, rowsPerKind: number): Promise<Run> {
  try {
    const compared = await checkWorld(drawWorld(run.seed, rowsPerKind), place)
    return {
      seed: run.seed + 1,
      rows: run.rows + compared.rows,
      answers: run.answers + compared.answers,
      answeredRows: run.answeredRows + compared.answeredRows,
      difference: null,
    }
  } catch (error) {
    return failed(run, error)
  }
}

/** A place that logged errors has failed too, even if its answers were as they must be. */
async function closed(run: Run, place: Place): Promise<Run> {
  try {
    await place.close()
    return run
  } catch (error) {
    return run.difference === null ? failed(run, error) : run
  }
}

function failed(run: Run, error: unknown): Run {
  return { ...run, difference: error instanceof Difference ? error.message : String((error as Error).stack) }
}

import { setTimeout as pause } from 'node:timers/promises'
import { walkPages, type ApiRow } from '../support/data/walk.ts'

/** A copy of a collection that is kept as a client keeps one: by reading what changed since the last read. */
export interface SyncedCopy<Kept> {
  /** The kept values of the rows, by their ids. */
  readonly rows: ReadonlyMap<string, Kept>
  /** Reads what has changed. Rejects when the service does not answer, and may then be called again. */
  refresh(origin: string): Promise<void>
  /**
   * Ids of rows in which the copy differs from the present collection: rows missing here, missing there, or changed.
   */
  differences(origin: string): Promise<readonly string[]>
}

export interface CopyOf<Kept> {
  /** The collection's path, without parameters. */
  readonly path: string
  readonly idField: string
  /** Selects the values of a row that are kept. */
  readonly keep: (row: ApiRow) => Kept
}

/** A copy that is empty until it is refreshed. */
export function createSyncedCopy<Kept>({ path, idField, keep }: CopyOf<Kept>, key: string): SyncedCopy<Kept> {
  const rows = new Map<string, Kept>()
  const changedAt = new Map<string, string>()
  const all = `${path}?limit=500`
  let lastAt = ''
  return {
    rows,
    async refresh(origin) {
      const after = lastAt === '' ? '' : `&updatedAfter=${encodeURIComponent(lastAt)}`
      for await (const page of walkPages(origin, `${all}${after}`, key)) {
        for (const row of page.rows) {
          rows.set(String(row[idField]), keep(row))
          changedAt.set(String(row[idField]), String(row.updatedAt))
          if (String(row.updatedAt) > lastAt) lastAt = String(row.updatedAt)
        }
      }
    },
    async differences(origin) {
      const missingThere = new Set(changedAt.keys())
      const different: string[] = []
      for await (const page of walkPages(origin, all, key)) {
        for (const row of page.rows) {
          const id = String(row[idField])
          missingThere.delete(id)
          if (changedAt.get(id) !== row.updatedAt) different.push(id)
        }
      }
      return [...different, ...missingThere]
    },
  }
}

/** Work that is repeated. `stop` waits until it has been done once more, and rejects if any repetition has failed. */
export interface Repeated {
  stop(): Promise<void>
}

/** Repeats work, with a pause after each repetition. */
export function repeat(pauseMs: number, once: () => Promise<void>): Repeated {
  const state = { isStopping: false }
  const running = (async () => {
    while (!state.isStopping) {
      await once()
      await pause(pauseMs)
    }
    await once()
  })()
  // Prevents an unhandled rejection; `stop` returns the same promise with its error.
  running.catch(() => undefined)
  return {
    stop() {
      state.isStopping = true
      return running
    },
  }
}

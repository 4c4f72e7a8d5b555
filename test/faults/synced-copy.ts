import { setTimeout as pause } from 'node:timers/promises'
import type { ApiRow } from '../support/walk.ts'
import { walkPages } from '../support/walk.ts'

/** A copy of a collection, kept as a client keeps one: by what changed since it last asked. */
export interface SyncedCopy<Kept> {
  /** What is kept of the rows, by their ids. */
  readonly rows: ReadonlyMap<string, Kept>
  /** Takes what has changed. Throws when the service does not answer, and may be called again. */
  refresh(origin: string): Promise<void>
  /** Ids of the rows in which the copy differs from the collection as it is now: missing here, missing there, changed. */
  differences(origin: string): Promise<readonly string[]>
}

export interface CopyOf<Kept> {
  /** The collection's path, without parameters. */
  readonly path: string
  readonly idField: string
  /** What is kept of a row. */
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

/** Something that is done again and again. `stop` waits until it is done once more, and rejects when one try did. */
export interface Repeated {
  stop(): Promise<void>
}

/** Does something, waits, and does it again. */
export function repeat(pauseMs: number, once: () => Promise<void>): Repeated {
  const state = { isStopping: false }
  const running = (async () => {
    while (!state.isStopping) {
      await once()
      await pause(pauseMs)
    }
    await once()
  })()
  // It is looked at when it is stopped.
  running.catch(() => undefined)
  return {
    stop() {
      state.isStopping = true
      return running
    },
  }
}

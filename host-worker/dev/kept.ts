import type { D1Database } from '@cloudflare/workers-types'

/** What the local state keeps of itself, in its database: the only place that every local start has. */
export type KeptName = 'root-secret' | 'operator-key' | 'address' | `tenant-key ${string}`

/** The values that a local state keeps. */
export interface Kept {
  /** Null: there is none. */
  read(name: KeptName): Promise<string | null>
  write(name: KeptName, value: string): Promise<void>
}

const TABLE = 'CREATE TABLE IF NOT EXISTS local_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT'

/** Opens what is kept in a database. The table is made when it is missing. */
export function openKept(database: D1Database): Kept {
  return {
    async read(name) {
      const answers = await database.batch<{ readonly value: string }>([
        database.prepare(TABLE),
        database.prepare('SELECT value FROM local_state WHERE name = ?').bind(name),
      ])
      return answers[1]?.results[0]?.value ?? null
    },
    async write(name, value) {
      const write = 'INSERT INTO local_state VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2'
      await database.batch([database.prepare(TABLE), database.prepare(write).bind(name, value)])
    },
  }
}

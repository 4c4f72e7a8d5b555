import type { D1Database } from '@cloudflare/workers-types'

/** What the local state keeps of itself, in its database: the only place that every local start has. */
export type KeptName = 'root-secret' | 'operator-key' | 'address' | `tenant-key ${string}`

/** The values that a local state keeps. */
export interface Kept {
  /** Null: there is none. */
  read(name: KeptName): Promise<string | null>
  write(name: KeptName, value: string): Promise<void>
}

/** Opens what is kept in a database, and makes its table when it is missing. */
export async function openKept(database: D1Database): Promise<Kept> {
  const run = async (sql: string, ...values: readonly string[]) => {
    const [answer] = await database.batch<{ value: string }>([database.prepare(sql).bind(...values)])
    return answer?.results[0]?.value ?? null
  }
  await run('CREATE TABLE IF NOT EXISTS local_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
  return {
    read: (name) => run('SELECT value FROM local_state WHERE name = ?', name),
    async write(name, value) {
      await run(
        'INSERT INTO local_state VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2',
        name,
        value,
      )
    },
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migrationsOf, openImage } from '../../adapters/node-sqlite/index.ts'
import { wranglerEnvironment } from '../../host-worker/local/project.ts'
import { afterFile } from '../support/runner/after-file.ts'
import { migratedImage } from '../support/databases/migrated-image.ts'
import { openSharedD1 } from '../support/databases/shared-d1.ts'

/** An empty file, which SQLite reads as a database without tables. */
const EMPTY = new Uint8Array()
/**
 * Leaves out the tables of SQLite and of D1, and the one in which adapters/node-sqlite records the applied migrations.
 */
const SCHEMA = `select type, name, sql from sqlite_master where name not like 'sqlite!_%' escape '!'
  and name not like '!_cf!_%' escape '!' and name <> 'applied_migrations' order by type, name`

/** The schema of a database, one text for each table, index and trigger. */
function schemaOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return rows.map(({ type, name, sql }) => `${String(type)} ${String(name)} ${String(sql)}`)
}

// Most tests begin with an image that node:sqlite made. In a deployment, wrangler splits each migration into
// statements, and D1 runs each migration as one batch.
test.each(['sqlite', 'pos-legacy-vendor'] as const)(
  'the migrations of %s, cut by wrangler, give D1 the schema that all other tests begin with',
  async (adapter) => {
    Object.assign(process.env, wranglerEnvironment('.wrangler'))
    const { unstable_splitSqlQuery: split } = await import('wrangler')
    const databases = await openSharedD1(1, EMPTY)
    afterFile(() => void databases.dispose())
    const database = await databases.next()
    const folder = migrationsOf(adapter)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.sql'),
    )
    // A deployment applies those of `retired/` last, and this is the order of their paths.
    for (const file of files.sort()) {
      const statements = split(readFileSync(new URL(file, folder), 'utf8'))
      expect(statements.length, file).toBeGreaterThan(0)
      await database.batch(statements.map((statement) => database.prepare(statement)))
    }
    const { results } = await database.prepare(SCHEMA).all()
    const image = openImage(migratedImage(adapter))
    const [expected] = await image.batch([{ sql: SCHEMA, parameters: [] }])
    image.close()
    expect(schemaOf(results)).toEqual(schemaOf(expected?.rows ?? []))
    expect(results.length).toBeGreaterThan(3)
  },
)

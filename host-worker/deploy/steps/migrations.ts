import { join } from 'node:path'
import * as v from 'valibot'
import { migrationsIn } from '../../local/migrate.ts'
import { projectRoot } from '../../local/root.ts'
import type { WranglerFile } from '../../local/wrangler-file.ts'
import { jsonIn } from '../account.ts'
import type { Deployment, Step } from '../deployment.ts'
import { wranglerFor } from '../wrangler.ts'

/** A step for each database with migrations. They come before the Worker, which needs the new tables. */
export function migrationSteps(file: WranglerFile): readonly Step[] {
  return file.d1_databases.flatMap(({ binding, migrations_dir: folder }) =>
    folder === undefined ? [] : [migrationStep(binding, folder)],
  )
}

function migrationStep(binding: string, folder: string): Step {
  const names = migrationsIn(join(projectRoot, folder)).map(({ name }) => name)
  const missing = async (deployment: Deployment) => {
    const applied = await appliedMigrations(deployment, binding)
    return names.filter((name) => !applied.includes(name))
  }
  return {
    name: `Tables of ${binding}`,
    isDone: async (deployment) => ((await missing(deployment)).length === 0 ? 'up to date' : null),
    plan: async (deployment) => `apply ${(await missing(deployment)).join(', ')}`,
    run: async (deployment) => {
      const wanted = await missing(deployment)
      await wranglerFor(deployment, ['d1', 'migrations', 'apply', binding, '--remote'])
      return `applied ${wanted.join(', ')}`
    },
  }
}

const Answers = v.tuple([v.object({ results: v.array(v.object({ name: v.string() })) })])

/** The migrations that a database of the deployment has; none when it is not there, or new. */
export async function appliedMigrations(deployment: Deployment, binding: string): Promise<readonly string[]> {
  const database = deployment.file.d1_databases.find((each) => each.binding === binding)
  const name = database?.database_name ?? ''
  if ((await deployment.account?.get(`d1/database/${encodeURIComponent(name)}`)) == null) return []
  // The table of migrations is looked for first: a new database has none, and wrangler would call that an error.
  const rows = async (sql: string) => {
    const stdout = await wranglerFor(deployment, [
      'd1',
      'execute',
      binding,
      '--remote',
      '--json',
      '--command',
      sql,
    ])
    return v.parse(Answers, jsonIn(stdout))[0].results.map((row) => row.name)
  }
  const tables = await rows("SELECT name FROM sqlite_master WHERE name = 'd1_migrations'")
  return tables.length === 0 ? [] : rows('SELECT name FROM d1_migrations')
}

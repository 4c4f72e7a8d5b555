import type { Migrations } from './schema.ts'
import { NEWEST_MIGRATION } from './newest-migration.ts'

/** The migrations of this version of the service. Their texts are loaded when an object needs them. */
export const ownMigrations: Migrations = {
  newest: NEWEST_MIGRATION,
  async load() {
    const { migrationTexts } = await import('./migration-texts.ts')
    return migrationTexts()
  },
}

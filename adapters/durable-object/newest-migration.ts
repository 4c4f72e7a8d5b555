import { migrationTexts } from './migration-texts.ts'

/**
 * The name of the last migration. The Worker's build replaces this module by one that holds the name alone, so that an
 * object which is up to date learns that without loading any migration.
 */
export const NEWEST_MIGRATION: string = migrationTexts().at(-1)?.name ?? ''

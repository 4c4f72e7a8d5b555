import { migrationTexts } from './migration-texts.ts'

/**
 * The name of the last migration. The Worker's build replaces this module by one that contains only the name, so that
 * an object which is up to date does not load the migrations to find that out.
 */
export const NEWEST_MIGRATION: string = migrationTexts().at(-1)?.name ?? ''

import type { Plugin } from 'esbuild'
import type { Migration } from '../../adapters/sqlite/migration.ts'

export function textAt(path: string): string
export function legacyMigrations(): readonly Migration[]
export const localTexts: Plugin

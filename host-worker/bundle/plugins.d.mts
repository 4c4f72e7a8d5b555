import type { Plugin } from 'esbuild'

export const kyselyParts: Plugin
export const phoneMetadata: Plugin
export function migrationTexts(further?: readonly { readonly name: string; readonly sql: string }[]): Plugin
/** The phone metadata for the Worker, as JSON. */
export function phoneRules(): string

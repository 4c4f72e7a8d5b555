import type { Plugin } from 'esbuild'

export function migrationTexts(further?: readonly { readonly name: string; readonly sql: string }[]): Plugin

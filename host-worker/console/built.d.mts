import type { ConsoleEntry } from './build.mjs'

export const entry: ConsoleEntry

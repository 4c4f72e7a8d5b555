import type { ConsoleEntry } from './build.mjs'

export type { ConsoleEntry }
export const entry: ConsoleEntry
export const mailboxEntry: ConsoleEntry

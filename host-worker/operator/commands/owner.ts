import type { Values } from '../command/command.ts'
import { textOf } from '../command/arguments.ts'
import { mark, text } from '../command/command.ts'

/** The flags that choose an owner: an organization, or the platform. */
export const ownerFlags = { org: text('ID', 'either'), platform: mark('either') } as const

/** The organization in the flags; null: the platform. */
export function ownerOf(values: Values): string | null {
  return textOf(values, 'org') ?? null
}

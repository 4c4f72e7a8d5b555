import { UsageError } from '../client/errors.ts'
import { textOf } from '../command/arguments.ts'
import type { Values } from '../command/command.ts'

/** The value of --limit: a whole number of at least 1. Throws a `UsageError` for anything else. */
export function limitIn(values: Values): number | undefined {
  const given = textOf(values, 'limit')
  if (given === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new UsageError('--limit is a whole number of at least 1')
  return Number(given)
}

import * as v from 'valibot'
import { described } from '../record/operation/meaning.ts'

/** The parts that the bodies of several reports are made of. */

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const cents = v.pipe(v.number(), v.safeInteger())
const instant = v.pipe(v.string(), v.isoTimestamp())

/** A percentage, described by what it is a percentage of; null when the whole is zero. */
export function percentageOf(meaning: string) {
  return described(
    v.nullable(v.pipe(v.number(), v.minValue(0))),
    `${meaning} A percentage to two decimals, halves up; null when there is nothing to divide by.`,
  )
}

export const organizationId = described(v.string(), 'The organization bound to the key.')

export const dateRange = described(
  v.strictObject({ start: v.nullable(instant), end: v.nullable(instant) }),
  'The bounds as applied, both included, as exact instants; null: none was given, or it was ignored.',
)

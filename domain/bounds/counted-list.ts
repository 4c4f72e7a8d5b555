import type * as v from 'valibot'
import { check } from 'valibot'

/**
 * A schema that checks the length of a list before its items, so that a list that is too long is a single problem.
 * Valibot would collect a problem for each item, and a body has room for millions of items.
 */
export function countedList<Schema extends v.GenericSchema>(
  list: Schema,
  itemsMax: number,
  problem: string,
): Schema {
  const tooLong = check<readonly unknown[], string>(() => false, problem)
  const run: Schema['~run'] = (dataset, config) => {
    const { value } = dataset
    if (!Array.isArray(value) || value.length <= itemsMax) return list['~run'](dataset, config)
    const { issues } = tooLong['~run']({ typed: true, value: value as readonly unknown[] }, config)
    return issues === undefined ? list['~run'](dataset, config) : { typed: true, value: [], issues }
  }
  return { ...list, '~run': run }
}

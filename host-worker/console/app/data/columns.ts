import type { DataRoute, Schema } from './contract.ts'
import { idFieldOf } from './addresses.ts'

const SHOWN = 4
const LONG = /^(description|updatedAt|organizationId|comment|freetext|notes|config)$|Url$|^url$/

/** The fields that a table shows after the id: the first few that are short, then the time of the natural order. */
export function columnFieldsOf(route: DataRoute): readonly string[] {
  const id = idFieldOf(route)
  const stem = route.filters.map(({ name }) => /^(?!updated)(\w+)After$/.exec(name)?.[1]).find(Boolean)
  const time = stem === undefined ? '' : `${stem}At`
  const short = Object.entries(route.fields)
    .filter(([name, schema]) => name !== id && name !== time && !LONG.test(name) && isScalar(schema))
    .map(([name]) => name)
  return [...short.slice(0, SHOWN), ...(time in route.fields ? [time] : [])]
}

function isScalar({ type, $ref, anyOf = [] }: Schema): boolean {
  if ($ref !== undefined) return false
  const types = [type ?? []].flat()
  return !types.includes('object') && !types.includes('array') && anyOf.every(isScalar)
}

/** A field's name in words, such as “Contact id”. */
export function wordsOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

import { keysOf, shapeOf, type Key, type Range, type Type } from './table.ts'

// Rows for every import, made from the table, and what must be served of them. They differ in every field, so that no
// field can stand in for another: each text begins with its field's name, and fields with the same values (consents,
// times, places) have them in different rows.

export type Row = Readonly<Record<string, unknown>>

/** How many rows each kind has. The first has null wherever it can, the second nowhere. */
export const COUNT = 18
/** Rows refer to the first of these many others. */
const REFERRED = 4
const DAY_MS = 86_400_000
const FIRST_MS = Date.UTC(2026, 0, 1)

/** A number that depends on the text alone. */
function mixed(text: string): number {
  let hash = 2166136261
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0
  return Math.imul(hash ^ (hash >>> 15), 2246822519) >>> 0
}

/** Which of `count` values a field has in a row: each of them once in every `count` rows, in no other field's order. */
function pick(path: string, index: number, count: number): number {
  return (index + (mixed(`${path} ${Math.floor(index / count)}`) >>> 8)) % count
}

function isNull(path: string, index: number): boolean {
  return index === 0 || (index > 1 && (mixed(`${path} null ${index}`) >>> 8) % 5 === 0)
}

/** The id of a row. Ids are in no order of anything. */
function idOf(name: string, index: number): string {
  const number = String((index * 7) % COUNT).padStart(2, '0')
  return name === 'reviewId' ? `018f3c6e-7b1a-7c3d-9e2f-0000000000${number}` : `${name}-${number}`
}

function reference(name: string, path: string, index: number, count = REFERRED): string {
  return `${name}-${String(pick(path, index, count)).padStart(2, '0')}`
}

/** Values that the type alone does not tell. The name is the field's, without the path to it. */
const special: Readonly<Record<string, (path: string, index: number) => unknown>> = {
  currency: (path, index) => ['USD', 'EUR', 'GBP', 'CAD'][pick(path, index, 4)],
  timezone: (path, index) =>
    ['America/Chicago', 'Europe/Rome', 'Asia/Tokyo', 'Africa/Cairo'][pick(path, index, 4)],
  /** In capitals in every third row. */
  email: (path, index) => {
    const text = `${path.replaceAll(/[.\d]+/g, '-')}-${pick(path, index, 6)}@example.com`
    return index % 3 === 1 ? text : text.toLowerCase()
  },
  phone: (path, index) => `+1212555${1000 + (mixed(path) % 800) * 10 + pick(path, index, 6)}`,
  quantity: (path, index) => 1 + pick(path, index, 4),
  lineId: (path, index) => `lineId-${index}-${elementOf(path)}`,
  subtotalCents: (_, index) => 10_000 + index,
  ticketNumber: (_, index) => 500 + index,
  texts: (path, index) => ({ send: `${path} ${index}` }),
  percentOff: (path, index) => 2.5 + 12.25 * pick(path, index, 6),
}

/** The value of a field of a row. */
function valueOf(type: Type, path: string, index: number): unknown {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path
  if (type.nullable && isNull(path, index)) return null
  switch (type.kind) {
    case 'one of':
      return type.words[pick(path, index, type.words.length)]
    case 'list':
      return Array.from({ length: index === 1 ? 2 : pick(path, index, 3) }, (_, element) =>
        valueOf(type.of, `${path}.${element}`, index),
      ).filter((value, at, all) => typeof value !== 'string' || all.indexOf(value) === at)
    case 'map':
      return { [`${name} a`]: `${path} ${index}` }
    case 'shape':
      return rowOf(type.keys, path, index)
    case 'either':
      return valueOf(type.types[0] as Type, path, index)
    case 'word':
      return (
        special[name]?.(path, index) ??
        rangedValue(type.range, path, index) ??
        wordValue(type.word, name, path, index)
      )
  }
}

/** The bounds of a range, and what lies between; undefined: it has not both. */
function rangedValue([least, most]: Range, path: string, index: number): number | undefined {
  if (least === undefined || most === undefined || most - least < 10) return undefined
  const values = [least, most, least + 7.25, most - 11.5, least / 2 + 3.125, most / 2 + 5.0625]
  return values[pick(path, index, values.length)]
}

function wordValue(word: string, name: string, path: string, index: number): unknown {
  switch (word) {
    case 'str':
      if (/url$/i.test(name)) return `https://${name.toLowerCase()}.example/${pick(path, index, 5)}`
      if (/Ids?$/.test(name)) return reference(name.replace(/s$/, ''), path, index)
      return `${path} ${pick(path, index, 4)}`
    case 'ts':
      return instantOf(path, index)
    case 'date':
      return instantOf(path, index).slice(0, 10)
    case 'stars':
      return 1 + pick(path, index, 5)
    case 'int':
    case 'count':
      return (mixed(path) % 40) + pick(path, index, 7)
    case 'cents':
      return 100 + (mixed(`${path} ${index}`) % 90_000)
    case 'num':
      return (mixed(path) % 40) + 0.25 + pick(path, index, 9)
    case 'bool':
      return pick(path, index, 2) === 1
    // Answers, with a key that is not for the tenant.
    default:
      return { [`${name} q`]: `${path} ${pick(path, index, 4)}`, nested: [{ [`${name} n`]: index }] }
  }
}

/** An instant of a field; two rows have each. The days of one field are not those of another. */
function instantOf(path: string, index: number): string {
  const ms = (mixed(path) % 100) * DAY_MS + pick(path, index, 9) * 3_661_001 + elementOf(path) * 3_600_000
  return new Date(FIRST_MS + ms).toISOString()
}

/** The elements of a list of events are in their order. */
function elementOf(path: string): number {
  return 100 * Number(/\.(\d+)\./.exec(path)?.[1] ?? 0)
}

function rowOf(keys: readonly Key[], path: string, index: number): Record<string, unknown> {
  const made = keys.filter(
    ({ name, there }) => there !== 'may' || index === 1 || pick(`${path}.${name} may`, index, 2) > 0,
  )
  return Object.fromEntries(
    made
      .filter(({ there }) => there !== 'may' || index !== 0)
      .map(({ name, type }) => [name, valueOf(type, `${path}.${name}`, index)]),
  )
}

/** Rows of a type of the table, without the fields that the service derives. The first key is the id. */
export function rowsOf(
  type: string,
  derived: readonly string[],
  change: (row: Row, index: number) => Row = (row) => row,
) {
  const keys = keysOf(shapeOf(type)).filter(({ name }) => name !== 'updatedAt' && !derived.includes(name))
  return Array.from({ length: COUNT }, (_, index): Row => {
    const row = rowOf(keys, type, index)
    const [own] = keys
    if (own !== undefined && derived[0] !== 'purchaseId') {
      row[own.name] = idOf(own.name === 'id' ? 'surveyId' : own.name, index)
    }
    return { ...row, ...change(row, index) }
  })
}

/** A value of a field that a kind imports and does not serve. */
export const extra = {
  reference,
  instant: instantOf,
  pick,
  isNull,
  word: (path: string, index: number, words: readonly string[]) => words[pick(path, index, words.length)],
}

import * as fc from 'fast-check'
import * as v from 'valibot'
import { reads, resources } from '../../domain/resources/index.ts'
import { storedFields } from '../../domain/record/resource.ts'
import type { ImportFormat } from '../../ports/import-sessions.ts'
import { seededRandom } from '../support/runner/fakes.ts'
import { same, type Drawn, type JsonObject } from './values/drawn.ts'
import { kinds, type Kind, type KindField } from './model/kinds.ts'

/** A row of a file, and the values that the API must show of it. Fields that are left out are shown as null. */
export interface Row {
  readonly given: JsonObject
  readonly shown: JsonObject
}

/** The rows of an organization, all drawn from one seed. */
export interface World {
  readonly seed: number
  readonly format: ImportFormat
  readonly rows: ReadonlyMap<string, readonly Row[]>
}

/** Fewer rows of these kinds are drawn. Hashing the password of a form takes longer than everything else about a row. */
const FEWER: Readonly<Record<string, number>> = { forms: 30 }

type DrawnRow = Record<string, Drawn>
type Random = () => number

/** How often a value is that of an earlier row, so that rows tie in an order and share the value of a filter. */
const REPEATED = 0.25
/** How often an id of another kind is that of a row, where a line may name any id. */
const REFERRING = 0.85
/** How often an id that refers to a row has white space around it, which imports drop. */
const SPACED = 0.2
/** One world in so many has rows that together are larger than the text in which a page is usually read. */
const LARGE_EVERY = 8
const LARGE_ROWS = 80
const LARGE_TEXT = 'large "quoted" \\ 😀\n'.repeat(2_500)

/** Draws a world with at most so many rows of each kind. The same arguments give the same world. */
export function drawWorld(seed: number, rowsPerKind: number): World {
  const random = seededRandom(seed)
  const format = seed % 2 === 0 ? 'ndjson' : 'csv'
  const large = seed % LARGE_EVERY === 0 ? listed[Math.floor(random() * listed.length)] : undefined
  const rows = new Map<string, readonly Row[]>()
  for (const [index, kind] of kinds.entries()) {
    const drawn = fc.sample(arbitraryOf(kind), {
      seed: seed * 100 + index,
      numRuns: Math.min(rowsPerKind, FEWER[kind.collection] ?? rowsPerKind),
    })
    const made = drawn.map((row) => ({ ...row }))
    repeatValues(kind, made, random)
    leaveOut(kind, made)
    if (kind.serviceWideIds) for (const row of made) addSeed(kind, row, seed)
    refer(kind, made, rows, random)
    if (kind === large) enlarge(kind, made)
    if (format === 'csv') for (const row of made) withoutEmptyTexts(kind, row)
    rows.set(kind.collection, unique(kind, made).map(rowOf))
  }
  return { seed, format, rows }
}

const listed = kinds.filter(({ collection }) =>
  reads.some(({ resource }) => resource.collection === collection),
)

const arbitraries = new Map<Kind, fc.Arbitrary<DrawnRow>>()

function arbitraryOf(kind: Kind): fc.Arbitrary<DrawnRow> {
  const known =
    arbitraries.get(kind) ?? fc.record(Object.fromEntries(kind.fields.map(({ name, draw }) => [name, draw])))
  arbitraries.set(kind, known)
  return known
}

function repeatValues({ key, fields }: Kind, rows: readonly DrawnRow[], random: Random): void {
  for (const { name } of fields.filter((field) => !key.includes(field.name)))
    for (const [index, row] of rows.entries()) {
      const earlier = rows[Math.floor(random() * index)]?.[name]
      if (earlier !== undefined && random() < REPEATED) row[name] = earlier
    }
}

/** The first row leaves out everything that may be null, so that each such field is null at least once. */
function leaveOut({ fields }: Kind, [first]: readonly DrawnRow[]): void {
  if (first === undefined) return
  for (const { name, mayBeNull } of fields) if (mayBeNull) first[name] = { given: undefined, shown: null }
}

/** Tells the ids of this world from those of another one in the same service. */
function addSeed({ key }: Kind, row: DrawnRow, seed: number): void {
  for (const name of key) row[name] = same(`${String(row[name]?.shown)}-${seed}`)
}

/** The fields that must hold the id of a stored row, by their kind and name. */
const required = new Set(
  resources.flatMap((resource) =>
    [...storedFields(resource), ...Object.entries(resource.fields)].flatMap(([name, entry]) => {
      if (entry.origin === 'joined') return [`${resource.collection}.${entry.join.by}`]
      return entry.origin === 'imported' && entry.refersTo !== undefined
        ? [`${resource.collection}.${name}`]
        : []
    }),
  ),
)

function refer(
  { collection, fields }: Kind,
  rows: readonly DrawnRow[],
  known: World['rows'],
  random: Random,
): void {
  for (const { name, refersTo } of fields) {
    const parents = refersTo === null ? [] : (known.get(refersTo) ?? [])
    const idField = kinds.find((kind) => kind.collection === refersTo)?.key.at(-1) ?? ''
    for (const row of rows) {
      const parent = parents[Math.floor(random() * parents.length)]
      const isRequired = required.has(`${collection}.${name}`)
      if (parent === undefined || row[name]?.shown === null) continue
      if (!isRequired && random() >= REFERRING) continue
      const id = String(parent.shown[idField])
      row[name] = { given: random() < SPACED ? ` ${id}\t` : id, shown: id }
    }
  }
}

/** Gives rows a large text, in a field that takes any. */
function enlarge({ key, fields }: Kind, rows: readonly DrawnRow[]): void {
  const isFree = ({ name, schema, refersTo }: KindField) =>
    !key.includes(name) && refersTo === null && v.is(schema, LARGE_TEXT)
  const field = fields.find(isFree)
  if (field !== undefined)
    for (const [index, row] of rows.slice(1, LARGE_ROWS).entries())
      row[field.name] = same(LARGE_TEXT + String(index))
}

/** An empty cell is an absent value, so CSV has no empty text. */
function withoutEmptyTexts({ fields }: Kind, row: DrawnRow): void {
  for (const { name, mayBeNull } of fields)
    if (row[name]?.given === '') row[name] = mayBeNull ? { given: '', shown: null } : same('-')
}

/** The rows without those that have the same key as an earlier one. */
function unique({ key }: Kind, rows: readonly DrawnRow[]): readonly DrawnRow[] {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const id = JSON.stringify(key.map((name) => row[name]?.shown))
    if (seen.has(id)) return false
    seen.add(id)
    return true
  })
}

function rowOf(row: DrawnRow): Row {
  const part = (of: keyof Drawn) => Object.entries(row).map(([name, value]) => [name, value[of]] as const)
  return {
    given: Object.fromEntries(part('given').filter(([, value]) => value !== undefined)),
    shown: Object.fromEntries(part('shown').map(([name, value]) => [name, value ?? null])),
  }
}

import { sql, type RawBuilder, type Expression } from 'kysely'
import type { Predicate } from '../../ports/records.ts'

/** The possible values of a parameter. A truth value is written as 0 or 1. */
export type BoundValue = string | number | null

/** One compiled statement with its parameters in order. */
export interface Statement<Row = unknown> {
  readonly sql: string
  readonly parameters: readonly BoundValue[]
  /**
   * Nobody needs the number of rows that the statement changes. A database to which counting is expensive then returns
   * 0.
   */
  readonly isUncounted?: true
  /** Never set: it carries the type of the rows that the SQL was declared to give. */
  readonly rowType?: Row
}

/** The name of a value that is known only when a statement is bound, at the place of the value. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A placeholder that `bind` fills by its name. The same name may occur in several places. After LIMIT and OFFSET, the
 * service's own statements have `atMost`.
 * @typeParam Value the type of the value where it is selected; anywhere else, a slot fits every column
 */
export function slot<Value = never>(name: string): RawBuilder<Value> {
  return sql<Value>`${new Slot(name)}`
}

/**
 * The name of the slot at the place of a value. A template is compiled once and bound many times: a value in it would be
 * the first caller's, for all of them, so any other value throws.
 */
export function slotName(value: unknown): string {
  if (value instanceof Slot) return value.name
  throw new TypeError('A value would be frozen into the template. Write a slot, or sql.lit for a constant')
}

/** SQL compiled once and bound many times. */
export interface Template<Row = unknown> {
  readonly sql: string
  /** The slot of each parameter, in order. */
  readonly slots: readonly string[]
  /** Never set: it carries the type of the rows that the SQL was declared to give, as `sql<Row>` does. */
  readonly rowType?: Row
}

/**
 * Fills the slots of a template. Throws when a slot has no value: absent values are null, never `undefined`. Text is
 * made well-formed: a lone surrogate has no UTF-8 form, and SQLite would store bytes that no reader accepts.
 */
export function bind<Row>(of: Template<Row>, values: Readonly<Record<string, BoundValue>>): Statement<Row> {
  const parameters = of.slots.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for ${name}: ${of.sql}`)
    return typeof value === 'string' ? value.toWellFormed() : value
  })
  return { sql: of.sql, parameters }
}

/**
 * The maximum number of compiled statements in a cache. All endpoints together have a few hundred; the bound protects
 * against callers that create new shapes without end.
 */
const SHAPES_MAX = 1000

/** A cache of what was compiled for each shape of a query. */
export function templateCache<Compiled>(): (shape: string, compile: () => Compiled) => Compiled {
  const shapes = new Map<string, Compiled>()
  return (shape, compile) => {
    const known = shapes.get(shape)
    if (known !== undefined) return known
    if (shapes.size >= SHAPES_MAX) shapes.clear()
    const compiled = compile()
    shapes.set(shape, compiled)
    return compiled
  }
}

/** The SQL operator for each operator that compares a column with a value. A null column satisfies none of them. */
const COMPARISONS = { equals: '=', atLeast: '>=', above: '>', atMost: '<=', below: '<' } as const

/** The sign of a comparison. Throws for what asks about a list or a document and is no comparison of two values. */
export function comparison(operator: Predicate['operator']): Expression<unknown> {
  if (operator === 'contains' || operator === 'mentions')
    throw new Error('A column is not compared by what a list or a document has')
  return sql.raw(COMPARISONS[operator])
}

/** What an upsert takes over of the row that was given: `"at" = "excluded"."at"` for each of these columns. */
export function excluded<const Column extends string>(
  columns: readonly Column[],
): Readonly<Record<Column, RawBuilder<never>>> {
  const taken = columns.map((column) => [column, sql<never>`${sql.id('excluded', column)}`])
  return Object.fromEntries(taken) as Record<Column, RawBuilder<never>>
}

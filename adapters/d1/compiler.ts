import { Kysely, sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { D1Dialect } from 'kysely-d1'
import type { Statement } from './executor.ts'

/**
 * Stands where the dialect wants a database. Kysely only compiles here: a statement that it ran by itself would
 * escape the batch, and with it atomicity, the meter and the retries.
 */
const compileOnly = {
  prepare() {
    throw new Error('Run statements through the executor')
  },
}

const compiler = new Kysely<unknown>({ dialect: new D1Dialect({ database: compileOnly as never }) })

/** Marks a place in compiled SQL whose value is known only when the statement is bound. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A place to be filled by `bind` under this name. The same name may stand in several places. */
export function slot(name: string): RawBuilder<unknown> {
  return sql`${new Slot(name)}`
}

/** SQL compiled once and bound many times. */
export interface Template {
  readonly sql: string
  /** The slot of each parameter, in order. */
  readonly slots: readonly string[]
}

/** Compiles SQL whose every parameter is a slot. Throws for a value: it would be frozen into a cached template. */
export function template(builder: RawBuilder<unknown>): Template {
  const compiled = builder.compile(compiler)
  const slots = compiled.parameters.map((parameter) => {
    if (!(parameter instanceof Slot)) throw new Error(`A value stands in a template: ${compiled.sql}`)
    return parameter.name
  })
  return { sql: compiled.sql, slots }
}

/** What a slot may be filled with. `undefined` is refused by D1, so absent values are null. */
export type BoundValue = string | number | null

/** A template with its slots filled. Throws when a slot has no value. */
export function bind(of: Template, values: Readonly<Record<string, BoundValue>>): Statement {
  const parameters = of.slots.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No value for ${name}: ${of.sql}`)
    return value
  })
  return { sql: of.sql, parameters }
}

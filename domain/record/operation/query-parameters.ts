import type * as v from 'valibot'

/** The value read from the texts of one parameter, or a whole sentence that refuses them. */
export type ParameterReading<Value> =
  { readonly kind: 'value'; readonly value: Value } | { readonly kind: 'refused'; readonly error: string }

/** One query parameter of an operation: its description in the contract document, and how it is read. */
export interface QueryParameter<Value = unknown> {
  readonly description: string
  /** The values that a caller should send. Reading may accept more; the description then says so. */
  readonly schema: v.GenericSchema
  /** An example. Absent: the glossary or the schema has one. */
  readonly example?: string
  /** @param given all texts that the request has for the parameter: none, one or several */
  readonly read: (given: readonly string[]) => ParameterReading<Value>
}

/** The query parameters of an operation by name, in the order of the contract document. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** An operation without query parameters. Parameters of a request are ignored. */
export type NoParameters = Readonly<Record<string, never>>

/** The values that a handler receives, by the names of their parameters. */
export type QueryValues<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends QueryParameter<infer Value> ? Value : never
}

/**
 * Reads the declared parameters of a request, in their order. Returns the problem of the first one that is refused.
 * @param declared null: there are none
 */
export function readQuery<Parameters extends QueryParameters>(
  declared: Parameters | null,
  query: URLSearchParams,
): ParameterReading<QueryValues<Parameters>> {
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(declared ?? {})) {
    const reading = read(query.getAll(name))
    if (reading.kind === 'refused') return reading
    values[name] = reading.value
  }
  // Each name gets the value of its own reader, which the compiler cannot see in a loop over names.
  return { kind: 'value', value: values as QueryValues<Parameters> }
}

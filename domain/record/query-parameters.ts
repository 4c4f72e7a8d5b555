import type * as v from 'valibot'

/** The value of one parameter's texts; or why they are refused, as a whole sentence. */
export type ParameterReading<Value> =
  { readonly kind: 'value'; readonly value: Value } | { readonly kind: 'refused'; readonly error: string }

/** One query parameter of an operation: how the contract document describes it, and how it is read. */
export interface QueryParameter<Value = unknown> {
  readonly description: string
  /** What a caller should send. Reading may accept more than this; the description then says so. */
  readonly schema: v.GenericSchema
  /** Absent: the glossary or the schema has one. */
  readonly example?: string
  /** @param given every text that the request has for it: none, one or several */
  readonly read: (given: readonly string[]) => ParameterReading<Value>
}

/** The query parameters of an operation by name, in the order of the contract document. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** An operation without query parameters: whatever a request has there is ignored. */
export type NoParameters = Readonly<Record<string, never>>

/** The values that a handler receives, by the names of their parameters. */
export type QueryValues<Parameters extends QueryParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends QueryParameter<infer Value> ? Value : never
}

/**
 * Reads the declared parameters of a request, in their order; the first one that is refused says why.
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

import * as v from 'valibot'

/**
 * Attaches a meaning to a value in one place of a schema. A name that has the same meaning everywhere is explained in
 * the glossary of the contract document instead.
 */
export function described<Schema extends v.GenericSchema>(schema: Schema, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

/** A schema that the contract document shows once, under this name, and refers to wherever an endpoint uses it. */
export function component<Schema extends v.GenericSchema>(name: string, schema: Schema) {
  return v.pipe(schema, v.metadata({ component: name }))
}

/** The name under which the contract document defines a schema; null: the schema is written out wherever it is used. */
export function componentName(schema: v.GenericSchema): string | null {
  const { component: name } = v.getMetadata(schema)
  return typeof name === 'string' ? name : null
}

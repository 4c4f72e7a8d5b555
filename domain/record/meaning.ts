import * as v from 'valibot'

/**
 * Attaches a meaning to a value in one place of a schema. A name with the same meaning everywhere does not need this:
 * the glossary of the contract document explains it.
 */
export function described<Schema extends v.GenericSchema>(schema: Schema, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

/** A schema that the contract document shows once, under this name, and refers to wherever an endpoint uses it. */
export function component<Schema extends v.GenericSchema>(name: string, schema: Schema) {
  return v.pipe(schema, v.metadata({ component: name }))
}

/** The name under which the contract document shows a schema; null: it is written out wherever it is used. */
export function componentName(schema: v.GenericSchema): string | null {
  const { component: name } = v.getMetadata(schema)
  return typeof name === 'string' ? name : null
}

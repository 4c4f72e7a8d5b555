import * as v from 'valibot'

/**
 * Attaches a meaning to a value in one place of a schema. A name that has the same meaning everywhere is explained in
 * the glossary of the contract document instead.
 */
export function described<Schema extends v.GenericSchema>(schema: Schema, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

/** How people write and read a value in the console, beside what it means to a program. */
export interface Words {
  /** What it is called; left out: its name in words, so `lastUsedAt` is “Last used”. */
  readonly label?: string
  /** Said beside the control that sets it. */
  readonly hint?: string
  /** What null says in a list, and in a choice. */
  readonly none?: string
  /** What its values are called, in the order in which they are offered; left out: as they are. */
  readonly choices?: Readonly<Record<string, string>>
  /** What is wrong when none of several choices is taken, as a sentence. */
  readonly whenEmpty?: string
  /** What is there before a person writes. */
  readonly initial?: string
  /** Given for a text that is an instant, although its schema takes other texts too. */
  readonly isInstant?: true
}

/** Says how people write and read a value. */
export function worded<Schema extends v.GenericSchema>(schema: Schema, words: Words) {
  return v.pipe(schema, v.metadata({ words }))
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

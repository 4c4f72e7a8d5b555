import type * as fc from 'fast-check'
import * as v from 'valibot'
import { FormLineInput } from '../../../domain/forms/language/check.ts'
import { writtenPosResources } from '../../../domain/pos/index.ts'
import { reads, writtenResources } from '../../../domain/resources/index.ts'
import type { ImportContext } from '../../../domain/record/field.ts'
import { storedFields, type Resource } from '../../../domain/record/resource.ts'
import { forms } from '../../../domain/resources/forms.ts'
import type { Drawn } from '../values/drawn.ts'
import { drawnFrom } from '../values/values.ts'

/** A field of the lines of an import kind. */
export interface KindField {
  readonly name: string
  readonly schema: v.GenericSchema
  readonly draw: fc.Arbitrary<Drawn>
  /** Whether a line may leave it out, and the API then shows null. */
  readonly mayBeNull: boolean
  /** The kind of which it holds an id; null: of none. */
  readonly refersTo: string | null
}

/** An import kind, as its record declares it. */
export interface Kind {
  readonly collection: string
  /** The fields that together identify a row. */
  readonly key: readonly string[]
  /** Whether no other organization may have a row of the same id. */
  readonly serviceWideIds: boolean
  readonly fields: readonly KindField[]
}

/** Accepts what looks like a phone number. Only the samples of forms of text are read with it. */
const context: ImportContext = {
  organizationId: 'any',
  phoneCountry: 'US',
  toE164: (text) => (/^\d{3}-\d{3}-\d{4}$/.test(text) ? text : null),
}

const all: readonly Resource[] = [...writtenResources, ...writtenPosResources]

/** Every import kind. A kind comes after those to which it refers. */
export const kinds: readonly Kind[] = all.map((resource) => ({
  collection: resource.collection,
  key: resource.alternateKey === null ? resource.key : [resource.alternateKey],
  serviceWideIds: resource.serviceWideIds,
  fields: inputsOf(resource).map(([name, schema]) => {
    const mayBeNull = isNullish(schema) && isPublishedAsNull(resource, name)
    // What must not be published without a value is never left out.
    const drawn = isNullish(schema) && !mayBeNull ? schema.wrapped : schema
    return { name, schema: drawn, draw: drawnFrom(drawn), mayBeNull, refersTo: referredBy(resource, name) }
  }),
}))

/** The fields of a line, with the schemas that it must satisfy. */
function inputsOf(resource: Resource): readonly (readonly [string, v.GenericSchema])[] {
  // A line of a form is its definition, of which the record keeps several fields in one.
  if (resource === (forms as Resource)) return Object.entries(FormLineInput.entries)
  return storedFields(resource).flatMap(([name, entry]) =>
    entry.origin === 'imported' ? [[name, entry.field.input(context)] as const] : [],
  )
}

/** Whether a line may leave a field out that is then null. */
function isNullish(schema: v.GenericSchema): schema is v.NullishSchema<v.GenericSchema, null> {
  return schema.type === 'nullish' && (schema as { readonly default?: unknown }).default === null
}

function isPublishedAsNull({ hidden, fields }: Resource, name: string): boolean {
  const published = (hidden[name] ?? fields[name])?.field.schema
  return published === undefined || v.is(published, null)
}

/** An id of another kind is recognised by its name, or because a nested route has the id of the parent in it. */
function referredBy({ collection, key, idField }: Resource, name: string): string | null {
  if (name === idField && key.length === 1) return null
  const nested = reads.find(
    ({ resource, parent }) => resource.collection === collection && parent?.param === name,
  )
  const named = all.find((other) => other.idField === name && other.collection !== collection)
  return nested?.parent?.resource.collection ?? named?.collection ?? null
}

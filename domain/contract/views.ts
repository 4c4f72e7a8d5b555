import type { Joined, Only, Resource, ResourceDeclaration } from './resource.ts'
import { joined, withOrigin } from './resource.ts'

/** The published fields of another resource whose row's id the field `by` holds, all but that id. */
export function joinedFrom(of: Resource, by: string): Readonly<Record<string, Joined>> {
  const entries = Object.entries(of.fields).filter(([name]) => name !== of.idField)
  return Object.fromEntries(
    entries.map(([name, { field }]) => [name, joined(field, { collection: of.collection, by, field: name })]),
  )
}

/**
 * The same resource as a collection shows it: without the fields that only its detail has. Where it is stored and how
 * it is imported stays with the whole one.
 * @param name of the schema of a collection's row in the contract document
 */
export function summaryOf(whole: Resource, name: string, detailOnly: readonly string[]): Resource {
  const fields = Object.entries(whole.fields).filter(([field]) => !detailOnly.includes(field))
  return { ...whole, name, fields: Object.fromEntries(fields) }
}

/**
 * Another resource made of some rows of a stored one. Its fields are stored fields of that one, of the same names, or
 * computed from such.
 */
export function viewOf(
  whole: Resource,
  view: Pick<ResourceDeclaration, 'name' | 'description' | 'fields'> & { readonly only: Only },
): Resource {
  return { ...whole, ...view, fields: withOrigin(view.fields), hidden: {} }
}

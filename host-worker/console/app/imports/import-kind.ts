import type { HeaderRules } from '../../../../domain/imports/file/header.ts'
import type { BodyOf, CallOf, ItemOf } from '../service/operations.ts'

/** A kind of rows that can be imported, with the columns of its files. */
export type ImportKind = BodyOf<'importKinds.list'>['data'][number]

/** An import as the operator interface shows it. */
export type Import = ItemOf<'imports.list'>

export type ImportFormat = NonNullable<CallOf<'imports.open'>['body']>['format']
export type Mapping = HeaderRules['mapping']

/** How the columns of a file of this kind are read. The service has the last word, by the same code. */
export function rulesOf({ columns }: ImportKind, mapping: Mapping): HeaderRules {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  return {
    mapping,
    columns: {
      names: [...types.keys()],
      typeOf: (field) => types.get(field) ?? null,
      problemOf: (field) => (types.has(field) ? null : 'is not known.'),
      secretField: null,
    },
  }
}

/** What a column holds, in words. */
export const typeTexts: Readonly<Record<ImportKind['columns'][number]['type'], string>> = {
  text: 'text',
  integer: 'whole number',
  real: 'number',
  boolean: 'true or false',
  json: 'JSON',
}

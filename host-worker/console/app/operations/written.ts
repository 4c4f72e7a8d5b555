import { operationFields, type DeclaredField } from '../service/operation-fields.ts'
import type { CallOf, ItemOf, ListId, OperationId, Row } from '../service/operations.ts'

/** What a person has written into the fields of a form, by name; the parts of a group are `group.part`. */
export type Written = Readonly<Record<string, string>>

type Part = 'body' | 'query'
type NameIn<Id extends OperationId, Of extends Part> = keyof NonNullable<CallOf<Id>[Of]> & string

/** The declared fields of an operation's body or query that are named, in this order; of no names, all of them. */
export function fieldsOf<Id extends OperationId, Of extends Part>(
  id: Id,
  part: Of,
  names?: readonly NameIn<Id, Of>[],
): readonly DeclaredField[] {
  const declared = operationFields[id]?.[part] ?? []
  return names === undefined ? declared : names.map((name) => named(declared, id, name))
}

/** The declared field of a list's item. */
export function itemFieldOf<Id extends ListId>(id: Id, name: keyof ItemOf<Id> & string): DeclaredField {
  return named(operationFields[id]?.item ?? [], id, name)
}

function named(declared: readonly DeclaredField[], id: string, name: string): DeclaredField {
  const found = declared.find((field) => field.name === name)
  if (found === undefined) throw new Error(`${id} declares no ${name}`)
  return found
}

/** The choices of a field. One that may be null can be none of them. */
export function choicesOf({ choices = [], isNullable, none = '' }: DeclaredField) {
  return isNullable === true ? [{ value: '', label: none }, ...choices] : choices
}

/** The parts of a field by which it is written: those of a group, of which the first decides whether there is one. */
export function partsOf(field: DeclaredField): readonly DeclaredField[] {
  const { name, label, none, fields: [first, ...others] = [] } = field
  if (first === undefined) return [field]
  const kind: DeclaredField = { ...first, label, isNullable: true, ...(none === undefined ? {} : { none }) }
  // The service says what is wrong with a part that was left empty.
  return [kind, ...others].map((part) => ({ ...part, isOptional: true, name: `${name}.${part.name}` }))
}

/** Fields as a person writes them, as they are stored; of nothing stored, as they begin. */
export function writtenOf(fields: readonly DeclaredField[], stored: Row = {}): Written {
  return Object.fromEntries(
    fields.flatMap(partsOf).map((field) => {
      const [outer = '', inner] = field.name.split('.')
      const value = stored[outer]
      const own = inner === undefined ? value : (value as Row | null | undefined)?.[inner]
      return [field.name, textOf(field, own)]
    }),
  )
}

function textOf(field: DeclaredField, value: unknown): string {
  if (value === undefined || value === null)
    return field.initial ?? (field.kind === 'choice' ? (choicesOf(field)[0]?.value ?? '') : '')
  if (typeof value === 'boolean') return value ? 'true' : ''
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The words in a text, between which there are spaces, or commas. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

/** What was written, as the operation takes it: null for what was emptied and may be, an instant by the reader's clock. */
export function valuesOf(fields: readonly DeclaredField[], written: Written): Row {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, written)]))
}

function valueOf(field: DeclaredField, written: Written): unknown {
  const { name, kind, isNullable } = field
  if (field.fields !== undefined) {
    const parts = partsOf(field)
    if (written[parts[0]?.name ?? ''] === '') return null
    return Object.fromEntries(parts.map((part) => [part.name.slice(name.length + 1), valueOf(part, written)]))
  }
  const text = (written[name] ?? '').trim()
  if (kind === 'truth') return text === 'true'
  if (text === '' && isNullable === true) return null
  if (kind === 'several') return wordsIn(text)
  if (kind === 'number') return Number(text)
  return kind === 'moment' && text !== '' ? new Date(text).toISOString() : text
}

/** What was written of something new: what was left empty and may be is left out. */
export function givenOf(fields: readonly DeclaredField[], written: Written): Row {
  const isGiven = ({ name, kind, isOptional }: DeclaredField): boolean =>
    written[name]?.trim() !== '' || (isOptional !== true && kind !== 'truth')
  return valuesOf(fields.filter(isGiven), written)
}

/** What was written differently from what is stored, so that nothing else is overwritten. */
export function changesOf(fields: readonly DeclaredField[], written: Written, stored: Row): Row {
  const before = valuesOf(fields, writtenOf(fields, stored))
  const changed = Object.entries(valuesOf(fields, written)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed)
}

import { explained, requestSchemaOf, exampleOf } from '../document/json-schema.ts'
import { termOf } from '../document/glossary.ts'
import { FormLineInput } from '../forms/language/check.ts'
import type { ImportContext, StorageType } from '../record/field.ts'
import type { Default } from '../record/resource-field.ts'
import type { Resource } from '../record/resource.ts'
import { forms } from '../resources/forms.ts'
import { csvRow } from '../text/csv.ts'
import { kindOf, resourceOfKind, importedFields, type ImportKind } from './kinds.ts'

/** A column of a kind's files, for whoever writes one. */
export interface TemplateColumn {
  readonly name: string
  readonly type: StorageType
  readonly isRequired: boolean
  /** What a new row has when the column is left out, in words; null: it is required. */
  readonly whenLeftOut: string | null
  /** What it means; null: its name says it. */
  readonly meaning: string | null
  /** What people call it at the head of a column, besides its name. */
  readonly heads: readonly string[]
  /** A value that an import takes. Lists and objects are JSON in a cell. */
  readonly example: unknown
}

/** Any organization: examples have their country with them. */
const context: ImportContext = { organizationId: 'example', phoneCountry: 'US', toE164: (text) => text }

/** The columns of a kind's files, from its record. Throws when there is no kind of that name. */
export function templateOf(name: string): readonly TemplateColumn[] {
  const kind = kindOf(name, noTools)
  const resource = resourceOfKind(name)
  const reading = kind.read({}, context)
  const required = new Set('issues' in reading ? reading.issues.map(({ field }) => field) : [])
  const isMatched = (column: string) => kind.matching !== null && column === kind.keyField
  if (isMatched(kind.keyField)) required.delete(kind.keyField)
  const imported = importedFields(resource)
  const example = exampleRow(resource, kind)
  const columns = kind.names.map((column) => ({
    name: column,
    type: kind.typeOf(column) ?? 'text',
    isRequired: required.has(column),
    whenLeftOut: required.has(column)
      ? null
      : isMatched(column)
        ? 'who has the email, else the phone, else a new one'
        : inWords(imported.get(column)?.default),
    meaning: meaningOf([resource.name, column], imported.get(column)?.words !== undefined),
    heads: imported.get(column)?.heads ?? [],
    // What may be left out is shown where its meaning has an example.
    example:
      required.has(column) || termOf([resource.name, column])?.[1] !== undefined ? example[column] : null,
  }))
  return [
    ...columns.filter(({ isRequired }) => isRequired),
    ...columns.filter(({ isRequired }) => !isRequired),
  ]
}

function meaningOf(path: readonly [string, string], hasWords: boolean): string | null {
  const [meaning = null] = termOf(path) ?? []
  return meaning !== null && hasWords ? `${meaning} In a CSV file also yes or no.` : meaning
}

/** A CSV file of the columns with one row of examples. */
export function templateCsv(columns: readonly TemplateColumn[]): string {
  const rows = [columns.map(({ name }) => name), columns.map(({ example }) => textOf(example))]
  return rows.map((cells) => `${csvRow(cells)}\r\n`).join('')
}

/** The tools that a kind needs only to complete rows. */
const noTools: Parameters<typeof kindOf>[1] = {
  passwords: { hash: needless, verify: needless },
  clock: { nowMs: () => 0 },
  secrets: needless,
}

async function needless(): Promise<never> {
  throw new Error('A template completes no row')
}

function exampleRow(resource: Resource, kind: ImportKind): Readonly<Record<string, unknown>> {
  const imported = importedFields(resource)
  const entries = kind.names.map((name) => {
    // A line of a form is its definition, of which the record keeps several fields in one.
    const schema =
      resource === (forms as Resource)
        ? FormLineInput.entries[name as keyof typeof FormLineInput.entries]
        : imported.get(name)?.field.input(context)
    return [name, schema === undefined ? {} : requestSchemaOf(schema)] as const
  })
  const row = { type: 'object', properties: Object.fromEntries(entries) }
  const example = exampleOf(explained(row, [resource.name]), () => ({}))
  return example as Readonly<Record<string, unknown>>
}

function inWords(natural: Default | undefined): string {
  if (natural === undefined) return 'nothing'
  return natural === 'now' ? 'the time of the import' : textOf(natural.value)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

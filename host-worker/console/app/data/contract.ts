import { searchText } from '../service/client.ts'

/** What the browser reads of the contract document. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, { readonly get?: DocumentedRead }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface DocumentedRead {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: Schema
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly (string | null)[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

/** A route of the public interface that reads rows, or one row. */
export interface DataRoute {
  /** The path below `/api/v1/`, such as `contact-lists/{listId}/contacts`. */
  readonly template: string
  readonly title: string
  readonly tag: string
  readonly isCollection: boolean
  readonly isDeprecated: boolean
  /** The query parameters that a person chooses; limit and cursor are the table's own. */
  readonly filters: readonly Parameter[]
  /** The fields of a row, in the order of the document. */
  readonly fields: Readonly<Record<string, Schema>>
}

const PREFIX = '/api/v1/'

/** The routes of the document that read rows: collections take a cursor, details end with an id. */
export function dataRoutesIn(document: ContractDocument): readonly DataRoute[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (get === undefined || !path.startsWith(PREFIX)) return []
    const queried = (get.parameters ?? []).filter((parameter) => parameter.in === 'query')
    const isCollection = queried.some(({ name }) => name === 'cursor')
    if (!isCollection && !path.endsWith('}')) return []
    const answer = get.responses['200']?.content?.['application/json']?.schema ?? {}
    const row = isCollection ? (propertiesOf(document, answer).data?.items ?? {}) : answer
    return [
      {
        template: path.slice(PREFIX.length),
        title: titleOf(get.summary ?? path),
        tag: get.tags?.[0] ?? 'Other',
        isCollection,
        isDeprecated: get.deprecated === true,
        filters: queried.filter(({ name }) => name !== 'limit' && name !== 'cursor'),
        fields: propertiesOf(document, row),
      },
    ]
  })
}

function titleOf(summary: string): string {
  const said = summary.replace(/^List (the )?/, '')
  return said.charAt(0).toUpperCase() + said.slice(1)
}

function propertiesOf(document: ContractDocument, schema: Schema): Readonly<Record<string, Schema>> {
  const name = schema.$ref?.split('/').at(-1)
  const found = name === undefined ? schema : (document.components.schemas[name] ?? {})
  const parts = (found.allOf ?? []).map((part) => propertiesOf(document, part))
  return Object.assign({}, ...parts, found.properties) as Readonly<Record<string, Schema>>
}

/** The names of the parameters of a template, in their order. */
export function parametersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
}

/** What is chosen of each filter; what is not chosen is left out. */
export type Chosen = Readonly<Record<string, string>>

/** What the query of an address chooses of some filters. */
export function chosenIn(search: string, filters: readonly Parameter[]): Chosen {
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    filters.flatMap(({ name }) => {
      const value = given.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** The query of an address for what is chosen. */
export function searchOf(chosen: Chosen): string {
  return searchText(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value.trim() !== '')))
}

/** The start of a day in the reader's time zone, as an instant of UTC; empty: no day. */
export function startOf(day: string): string {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** The day of an instant in the reader's time zone; empty: no instant. */
export function dayOf(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(at.getFullYear()).padStart(4, '0')}-${month ?? ''}-${day ?? ''}`
}

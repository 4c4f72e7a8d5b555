import { searchText } from '../../../../domain/text/http.ts'
import type { Row } from '../service/operations.ts'

type Params = Readonly<Record<string, string>>

/** What an address below `/data/` shows: a route, with the values of its parameters. */
export interface Place {
  readonly route: DataRoute
  readonly params: Params
}

/** The place of an address. A route without parameters wins: `forms/submissions` is no form. */
export function placeOf(routes: readonly DataRoute[], address: string): Place | null {
  const segments = address.split('/').map(decoded)
  const byParameters = routes.toSorted(
    (left, right) => parametersOf(left.template).length - parametersOf(right.template).length,
  )
  for (const route of byParameters) {
    const params = paramsIn(route.template, segments)
    if (params !== null) return { route, params }
  }
  return null
}

function paramsIn(template: string, segments: readonly string[]): Params | null {
  const wanted = template.split('/')
  if (wanted.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const given = segments[index] ?? ''
    const [name] = parametersOf(part)
    if (name === undefined ? part !== given : given === '') return null
    if (name !== undefined) params[name] = given
  }
  return params
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** A template with its parameters filled in; null: one is missing, or none that an address can have. */
export function addressOf(template: string, values: Row): string | null {
  const filled = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return typeof value === 'string' && !/^\.{0,2}$/.test(value) ? encodeURIComponent(value) : whole
  })
  return filled.includes('{') ? null : filled
}

/**
 * Where the value of a field leads: to the detail route whose last parameter has the field's name. The other parameters
 * are taken from the row.
 */
export function linkOf(routes: readonly DataRoute[], field: string, value: string, row: Row): string | null {
  const named = linkByName(field, value, row)
  if (named !== null) return named
  const name = field.replace(/Ids$/, 'Id')
  // Such as the `surveyId` of a `parentSurveyId`.
  const kind = name.replace(/^[a-z]+([A-Z])(?=\w+Id$)/, (_, letter: string) => letter.toLowerCase())
  return detailNamed(routes, name, value, row) ?? detailNamed(routes, kind, value, row)
}

/**
 * A site's code is no id: it leads to the sites that have it. The customer of a sale or an account is known to the point
 * of sale; elsewhere nobody knows whether there is one.
 */
function linkByName(field: string, value: string, row: Row): string | null {
  if (field === 'siteCode' && !('siteId' in row))
    return `sites?${new URLSearchParams({ siteCode: value }).toString()}`
  if (field === 'customerId' && ('transactionId' in row || 'accountId' in row))
    return addressOf('pos/customers/{customerId}', { customerId: value })
  return null
}

function detailNamed(routes: readonly DataRoute[], name: string, value: string, row: Row): string | null {
  const wanted = `{${name}}`
  for (const { template, isDeprecated } of routes)
    if (!isDeprecated && template !== wanted && template.endsWith(`/${wanted}`)) {
      const address = addressOf(template, { ...row, [wanted.slice(1, -1)]: value })
      if (address !== null) return address
    }
  return null
}

/** The address of a row of a collection; null: its collection has no detail route. */
export function detailOf(routes: readonly DataRoute[], { route, params }: Place, row: Row): string | null {
  const id = idFieldOf(route)
  const own = routes.find(
    ({ template }) =>
      /^\{\w+\}$/.test(template.slice(route.template.length + 1)) &&
      template.startsWith(`${route.template}/`),
  )
  const value = row[id]
  if (own === undefined || typeof value !== 'string')
    return typeof value === 'string' ? linkOf(routes, id, value, { ...params, ...row }) : null
  return addressOf(own.template, { ...params, ...row, [parametersOf(own.template).at(-1) ?? '']: value })
}

/** The field that tells the rows of a route apart: the first one. */
export function idFieldOf({ fields }: DataRoute): string {
  return Object.keys(fields)[0] ?? ''
}

/** Where one can go from a row of a detail route: what is below it, and the collections that can be filtered by its id. */
export function onwardFrom(
  routes: readonly DataRoute[],
  { route, params }: Place,
): readonly { readonly title: string; readonly address: string }[] {
  const name = parametersOf(route.template).at(-1) ?? ''
  return routes.flatMap(({ template, title, isCollection, isDeprecated, filters }) => {
    if (!isCollection || isDeprecated) return []
    if (template.startsWith(`${route.template}/`)) {
      const address = addressOf(template, params)
      return address === null ? [] : [{ title, address }]
    }
    const isFiltered = !template.includes('{') && filters.some((filter) => filter.name === name)
    const below = routes.some(
      (one) =>
        one.title !== title &&
        one.template.startsWith(`${route.template}/`) &&
        one.template.split('/').at(-1) === template.split('/').at(-1),
    )
    return isFiltered && !below
      ? [{ title, address: `${template}?${new URLSearchParams({ [name]: params[name] ?? '' }).toString()}` }]
      : []
  })
}

const SHOWN = 4
const LONG = /^(description|updatedAt|organizationId|comment|freetext|notes|config)$|Url$|^url$/

/** The fields that a table shows after the id: the first few that are short, then the time of the natural order. */
export function columnFieldsOf(route: DataRoute): readonly string[] {
  const id = idFieldOf(route)
  const stem = route.filters.map(({ name }) => /^(?!updated)(\w+)After$/.exec(name)?.[1]).find(Boolean)
  const time = stem === undefined ? '' : `${stem}At`
  const short = Object.entries(route.fields)
    .filter(([name, schema]) => name !== id && name !== time && !LONG.test(name) && isScalar(schema))
    .map(([name]) => name)
  return [...short.slice(0, SHOWN), ...(time in route.fields ? [time] : [])]
}

function isScalar({ type, $ref, anyOf = [] }: Schema): boolean {
  if ($ref !== undefined) return false
  const types = [type ?? []].flat()
  return !types.includes('object') && !types.includes('array') && anyOf.every(isScalar)
}

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

interface Schema {
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

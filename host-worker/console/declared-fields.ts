import type * as v from 'valibot'
import { operatorEndpoints } from '../../domain/operator-api.ts'
import { pageParameters } from '../../domain/operators/list.ts'
import type { Words } from '../../domain/record/meaning.ts'
import type { OperationEndpoint } from '../../domain/record/operation.ts'
import { titleOf } from '../../domain/text/words.ts'
import type { DeclaredField, DeclaredFields } from './app/service/operation-fields.ts'

/**
 * What people write to the operations of the operator interface and read from their lists, as the schemas of these
 * declare it. The build gives it to the console, which so needs no schema.
 */
export function declaredFields(): Readonly<Record<string, DeclaredFields>> {
  return Object.fromEntries(
    operatorEndpoints.map((operation) => {
      const { id, body, query } = operation
      // People see no pages of a list, so they write neither a limit nor a cursor.
      const filters = Object.entries(query ?? {})
        .filter(([name]) => !Object.hasOwn(pageParameters, name))
        .map(([name, { schema }]) => [name, schema] as const)
      const fields: DeclaredFields = {
        ...(body === null ? {} : { body: fieldsOf(Object.entries(entriesOf(body.schema))) }),
        ...(filters.length === 0 ? {} : { query: fieldsOf(filters) }),
        // A hint stands beside a control alone.
        item: fieldsOf(Object.entries(itemOf(operation))).map(({ hint: _hint, ...field }) => field),
      }
      return [id, fields]
    }),
  )
}

/** What a schema of valibot may have, beside its type. */
interface Parts {
  readonly type: string
  readonly kind?: string
  readonly pipe?: readonly (Parts & { readonly metadata?: { readonly words?: Words } })[]
  readonly wrapped?: Parts
  readonly entries?: Readonly<Record<string, Parts>>
  readonly item?: Parts
  readonly options?: readonly string[]
}

/** The item of the pages that a list answers with; of another operation, nothing. */
function itemOf({ responses }: OperationEndpoint): Readonly<Record<string, Parts>> {
  const answer: unknown = responses[200]
  const { content } = (answer ?? {}) as { content?: Record<string, { schema: v.GenericSchema }> }
  const body = content?.['application/json']?.schema
  const item = body === undefined ? undefined : entriesOf(body).data?.item
  return item?.entries ?? {}
}

function entriesOf(schema: v.GenericSchema): Readonly<Record<string, Parts>> {
  return (schema as unknown as Parts).entries ?? {}
}

function fieldsOf(entries: readonly (readonly [name: string, schema: unknown])[]): readonly DeclaredField[] {
  return entries.flatMap(([name, schema]) => fieldOf(name, schema as Parts) ?? [])
}

const kinds: Readonly<Record<string, DeclaredField['kind']>> = {
  string: 'text',
  number: 'number',
  boolean: 'truth',
  picklist: 'choice',
  strict_object: 'group',
}

/** A field; null: nothing that a line of a form or a cell of a table has room for. */
function fieldOf(name: string, schema: Parts): DeclaredField | null {
  const {
    label = nameInWords(name),
    hint,
    none,
    choices = {},
    whenEmpty,
    initial,
    isInstant,
  } = wordsIn(schema)
  const outer = unwrapped(schema)
  const isSeveral = outer.type === 'array' && /^(?:picklist|string)$/.test(outer.item?.type ?? '')
  const value = isSeveral ? (outer.item ?? outer) : outer
  const plain = isSeveral ? 'several' : kinds[value.type]
  if (plain === undefined) return null
  const isTruth = value.options?.join() === 'true,false'
  const isMoment = isInstant === true || isTimestamp(value)
  const kind = isTruth ? 'truth' : isMoment ? 'moment' : plain
  const named = Object.entries(choices).map(([of, said]) => ({ value: of, label: said }))
  const offered = named.length > 0 ? named : (value.options ?? []).map((of) => ({ value: of, label: of }))
  const isNullable = isWrapped(schema, /null/)
  return {
    ...{ name, label, kind },
    ...(hint === undefined ? {} : { hint: hint.replaceAll('`', '') }),
    ...(none === undefined ? {} : { none }),
    ...(initial === undefined ? {} : { initial }),
    ...(whenEmpty === undefined ? {} : { whenEmpty }),
    ...(isTruth || offered.length === 0 ? {} : { choices: offered }),
    ...(isNullable ? { isNullable } : {}),
    ...(isNullable || isWrapped(schema, /optional|nullish/) ? { isOptional: true } : {}),
    ...(kind === 'group' ? { fields: fieldsOf(Object.entries(value.entries ?? {})) } : {}),
  }
}

function isTimestamp({ type, pipe = [] }: Parts): boolean {
  return type === 'iso_timestamp' || pipe.some(isTimestamp)
}

function unwrapped(schema: Parts): Parts {
  return schema.wrapped === undefined ? schema : unwrapped(schema.wrapped)
}

function isWrapped({ type, wrapped }: Parts, how: RegExp): boolean {
  return wrapped !== undefined && (how.test(type) || isWrapped(wrapped, how))
}

/** What is said of a schema, at whatever depth. What is said outside goes before what is said inside. */
function wordsIn({ wrapped, pipe = [] }: Parts): Words {
  const inner = wrapped === undefined ? {} : wordsIn(wrapped)
  const said = pipe.map((part) => (part.kind === 'schema' ? wordsIn(part) : (part.metadata?.words ?? {})))
  return Object.assign({}, inner, ...said) as Words
}

/** A key in words, without what says its type alone: `lastUsedAt` is “Last used”, `parentId` is “Parent”. */
function nameInWords(name: string): string {
  return titleOf(name.replace(/(?:Id|At)$/, ''))
}

import { describe, expect, test } from 'vitest'
import { actualSchema, migratedDatabase } from '../../../adapters/sqlite/schema/actual.ts'
import { difference } from '../../../adapters/sqlite/schema/difference.ts'
import { expectedSchema } from '../../../adapters/sqlite/schema/expected.ts'
import { buildDocument } from '../../../domain/document/openapi.ts'
import { endpoints } from '../../support/contract/endpoints.ts'
import {
  leavesOf,
  notNull,
  operations,
  shapeOf,
  shapeText,
  textOf,
  typeAt,
  type Filter,
  type Operation,
  type Range,
  type Type,
} from './table.ts'

// The contract document says what the table says, no more and no less.

type Node = Readonly<Record<string, unknown>>
interface Documented {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Node }[]
  readonly responses: Readonly<Record<string, Node>>
  readonly requestBody?: Node
  readonly deprecated?: boolean
  readonly security: readonly Node[]
}
const document = buildDocument(endpoints) as unknown as Node & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
}

/** A node of the document with its reference followed. */
function followed(node: Node): Node {
  const { $ref } = node
  if (typeof $ref !== 'string') return node
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Node)[name], document)
  return followed(found as Node)
}

/** The type that a schema of the document describes, as `textOf` writes it. What is `object` in the table may be any. */
function textOfSchema(schema: Node, expected: Type | null): string {
  const node = followed(schema)
  const types = ([] as unknown[]).concat(node.type ?? [])
  const words = (node.enum ?? ('const' in node ? [node.const] : undefined)) as unknown[] | undefined
  const end = types.includes('null') || words?.includes(null) === true ? '?' : ''
  if (expected?.kind === 'word' && expected.word === 'object' && !types.includes('string'))
    return `object${end}`
  if (
    expected?.kind === 'word' &&
    expected.word === 'bool' &&
    words?.every((word) => typeof word === 'boolean')
  )
    return 'bool'
  if (words !== undefined)
    return (
      words
        .filter((word) => word !== null)
        .map(String)
        .toSorted()
        .join('|') + end
    )
  const either = (node.anyOf ?? node.oneOf) as Node[] | undefined
  if (either !== undefined) {
    const others = either.map(followed).filter(({ type }) => type !== 'null')
    if (expected?.kind === 'shape') return objectText(merged(others), expected)
    const texts = others.map((one, index) =>
      textOfSchema(one, expected?.kind === 'either' ? (expected.types[index] ?? null) : expected),
    )
    return texts.toSorted().join('/') + (others.length < either.length ? '?' : '')
  }
  switch (types.find((type) => type !== 'null')) {
    case 'string':
      return ({ 'date-time': 'ts', date: 'date' }[String(node.format)] ?? 'str') + end
    case 'integer':
      return (node.minimum === 1 && node.maximum === 5 ? 'stars' : 'int') + end
    case 'number':
      return `num${end}`
    case 'boolean':
      return `bool${end}`
    case 'array':
      return `[${textOfSchema(node.items as Node, expected?.kind === 'list' ? expected.of : null)}]${end}`
    case 'object':
      return objectText(node, expected) + end
    default:
      return JSON.stringify(node)
  }
}

function objectText(node: Node, expected: Type | null): string {
  if (node.properties === undefined) {
    return typeof node.additionalProperties === 'object'
      ? `map ${textOfSchema(node.additionalProperties as Node, null)}`
      : 'object'
  }
  const required = node.required as readonly string[]
  const known = expected?.kind === 'shape' ? expected.keys : []
  const keys = Object.entries(node.properties as Readonly<Record<string, Node>>)
  return shapeText(
    keys.map(([name, schema]) => {
      const type = known.find((key) => key.name === name)?.type ?? null
      return [name, required.includes(name), textOfSchema(schema, type)]
    }),
  )
}

/** The ranges that a schema and its alternatives have for the number at a path; what is no number has none. */
function rangesAt(schema: Node, [name, ...rest]: readonly string[]): readonly Range[] {
  const node = followed(schema)
  const either = [node.anyOf, node.oneOf].flat().filter((one) => one !== undefined) as Node[]
  if (either.length > 0) {
    const found = either.flatMap((one) => rangesAt(one, name === undefined ? [] : [name, ...rest]))
    return [...new Map(found.map((range) => [String(range), range])).values()]
  }
  if (name === undefined) {
    if (node.type === 'null') return []
    const bounds = [node.minimum, node.maximum] as readonly (number | undefined)[]
    const [least, most] = bounds.map((bound) =>
      Number.isSafeInteger(Math.abs(bound ?? NaN) + 1) ? bound : undefined,
    )
    return [most !== undefined ? [least, most] : least !== undefined ? [least] : []]
  }
  const below = name === '0' ? node.items : (node.properties as Node | undefined)?.[name]
  return below === undefined ? [] : rangesAt(below as Node, rest)
}

/** One object schema for several: a key is always there if it is in each of them. */
function merged(nodes: readonly Node[]): Node {
  const required = nodes.map((node) => new Set(node.required as readonly string[]))
  return {
    properties: Object.assign({}, ...nodes.map(({ properties }) => properties)) as Node,
    required: [...(required[0] ?? [])].filter((name) => required.every((names) => names.has(name))),
  }
}

function bodyOf(response: Node | undefined): Node {
  const { content } = followed(response ?? {}) as { readonly content?: Readonly<Record<string, Node>> }
  return (content?.['application/json']?.schema ?? {}) as Node
}

const documented = ({ method, path }: Operation) => document.paths[path]?.[method.toLowerCase()]

describe('the whole', () => {
  test('document has the operations of the table', () => {
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(paths.toSorted()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).toSorted())
  })

  test('database from which rows are served is the one that the records declare', () => {
    // Counts and removals are kept by triggers: a record that declares them otherwise would change what is served after
    // the next migration only.
    const database = migratedDatabase()
    expect(
      difference(
        expectedSchema(),
        actualSchema((sql) => database.prepare(sql).all()),
      ),
    ).toEqual([])
  })
})

describe.each(operations)('$method $path', (operation) => {
  const { type, does, statuses, limits, filters, parameters, codes, method, path, takes } = operation
  const own = documented(operation)

  test('has these statuses, security and mark', () => {
    expect(Object.keys(own?.responses ?? {}).map(Number)).toEqual(statuses)
    expect(own?.deprecated ?? false).toBe(operation.deprecated)
    const isSend = method === 'POST' && path.startsWith('/api/v1/')
    const isKeyed = path.startsWith('/api/v1/') && path !== '/api/v1/openapi.json'
    expect(own?.security.map((one) => Object.keys(one).join())).toEqual(
      isSend ? ['tenantKey', 'platformKey'] : isKeyed ? ['tenantKey'] : [],
    )
  })

  test('has these parameters', () => {
    const expected: Record<string, string> = {}
    if (does === 'list') expected.limit = `int = ${limits.usual} of ${limits.most}`
    if (does === 'list') expected.cursor = 'str'
    if (codes) expected.includeCodes = 'bool = false'
    for (const filter of filters) expected[filter.name] = textOf(filterType(operation, filter))
    for (const { name, type: of, otherwise } of parameters) {
      // What analytics do not understand they ignore, so its document cannot promise more than a text.
      const isLenient = does === 'answers' && textOf(of) === 'ts'
      const isTold = otherwise !== undefined && !/now|ago|link|day/.test(otherwise)
      expected[name] = (isLenient ? 'str' : textOf(of)) + (isTold ? ` = ${otherwise}` : '')
    }
    const shown = own?.parameters.filter((one) => one.in === 'query') ?? []
    expect(Object.fromEntries(shown.map(({ name, schema }) => [name, parameterText(schema)]))).toEqual(
      expected,
    )
    expect(own?.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
  })

  if (type !== null)
    test('answers this', () => {
      for (const status of statuses.filter((one) => one === 200 || one === 207)) {
        const body = bodyOf(own?.responses[status])
        const answered = status === 207 ? operation.otherType : type
        const whole: Type | null =
          does === 'list'
            ? {
                kind: 'shape',
                nullable: false,
                keys: [{ name: 'data', there: 'always', type: { kind: 'list', of: type, nullable: false } }],
              }
            : answered
        for (const leaf of leavesOf(whole)) {
          if (leaf.type.kind !== 'word') continue
          expect([leaf.path, rangesAt(body, leaf.path)]).toEqual([leaf.path, [leaf.type.range]])
        }
        if (does !== 'list') expect(textOfSchema(body, answered)).toBe(answered && textOf(answered))
        else {
          const page = followed(body).properties as Readonly<Record<string, Node>>
          expect(Object.keys(page)).toEqual(['organizationId', 'filters', 'data', 'pagination'])
          expect(textOfSchema(page.data ?? {}, { kind: 'list', of: type, nullable: false })).toBe(
            `[${textOf(type)}]`,
          )
          expect(textOfSchema(page.pagination ?? {}, null)).toBe('{hasMore bool, limit int, nextCursor str?}')
          expect(textOfSchema(page.filters ?? {}, null)).toBe(filtersText(operation))
        }
      }
    })

  test('answers an error in its shape', () => {
    const isSubmission = path.startsWith('/api/forms/')
    for (const status of statuses.filter((one) => one >= 400)) {
      const text = textOfSchema(bodyOf(own?.responses[status]), null)
      if (isSubmission) expect(text).toBe(textOf(shapeOf('SubmissionError')))
      else if (method === 'POST' && status === 400)
        expect(text).toBe('{details [str], error Invalid request format}')
      else
        expect(text).toMatch(
          method === 'POST' && status === 401 ? /^\{error (str|Unauthorized)\}$/ : /^\{error str\}$/,
        )
    }
  })

  if (takes !== null)
    test('takes this', () => {
      const taken = bodyOf(own?.requestBody)
      expect(textOfSchema(taken, takes)).toBe(textOf(takes))
    })
})

function filterType({ type }: Operation, { field, comparison }: Filter): Type {
  const of = typeAt(type, field)
  return notNull(comparison === 'in' && of.kind === 'list' ? of.of : of)
}

/** The filters of a page: those of the table, and what links/analytics applies, which it always has. */
function filtersText(operation: Operation): string {
  const applied = operation.order.some(({ field }) => field === 'value' || field === 'clicks')
    ? operation.parameters
    : []
  return shapeText([
    ...operation.filters.map(
      (filter) => [filter.name, true, `${textOf(filterType(operation, filter))}?`] as const,
    ),
    ...applied.map(({ name, type }) => [name, true, textOf(type)] as const),
  ])
}

function parameterText(schema: Node): string {
  const { default: otherwise, maximum } = schema as {
    readonly default?: string | number | boolean
    readonly maximum?: number
  }
  const most = otherwise !== undefined && maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER
  const text = textOfSchema(schema, null)
  return (
    text + (otherwise === undefined ? '' : ` = ${String(otherwise)}`) + (most ? ` of ${String(maximum)}` : '')
  )
}

import * as fc from 'fast-check'
import * as v from 'valibot'
import { same, type Drawn, type JsonObject } from './drawn.ts'
import { anyText, textsOf } from './texts.ts'

/** The part of a valibot schema, or of an action in its pipe, from which values are drawn. */
interface SchemaNode {
  readonly kind: 'schema' | 'validation' | 'transformation' | 'metadata'
  readonly type: string
  readonly pipe?: readonly SchemaNode[]
  readonly requirement?: unknown
  readonly default?: unknown
  readonly wrapped?: SchemaNode
  readonly item?: SchemaNode
  readonly entries?: Readonly<Record<string, SchemaNode>>
  readonly options?: readonly unknown[]
  readonly literal?: unknown
}

/** A schema without its pipe, and all actions of the pipe, those of pipes within it too. */
interface Parts {
  readonly base: SchemaNode
  readonly actions: readonly SchemaNode[]
}

function partsOf(node: SchemaNode): Parts {
  let base = node
  const actions: SchemaNode[] = []
  for (const part of node.pipe ?? []) {
    if (part.kind !== 'schema') actions.push(part)
    else if (part.pipe === undefined) base = part
    else {
      const inner = partsOf(part)
      base = inner.base
      actions.push(...inner.actions)
    }
  }
  return { base, actions }
}

/**
 * Draws values that a schema of imports accepts, each with what the API must show for it. Only the declaration is read:
 * nothing is parsed with the schema.
 */
export function drawnFrom(schema: v.GenericSchema): fc.Arbitrary<Drawn> {
  return ofNode(schema)
}

function ofNode(node: SchemaNode): fc.Arbitrary<Drawn> {
  const parts = partsOf(node)
  const drawn = ofParts(node, parts)
  // What a rule about a whole object or list says cannot be read from it.
  const isRuled = parts.base.type !== 'string' && parts.actions.some(({ type }) => type === 'check')
  return isRuled ? drawn.filter(({ given }) => v.is(node as unknown as v.GenericSchema, given)) : drawn
}

function ofParts(node: SchemaNode, { base, actions }: Parts): fc.Arbitrary<Drawn> {
  const limitOf = (...types: readonly string[]) =>
    actions.find(({ type }) => types.includes(type))?.requirement as number | undefined
  switch (base.type) {
    case 'nullable':
    case 'nullish':
    case 'optional':
      return orNothing(base)
    case 'string': {
      const min = limitOf('min_length') ?? (actions.some(({ type }) => type === 'non_empty') ? 1 : 0)
      const takes = (text: string) => v.is(node as unknown as v.GenericSchema, text)
      const trims = actions.some(({ type }) => type === 'trim')
      return textsOf(takes, { min, max: limitOf('max_length') ?? 2_000 }, trims)
    }
    case 'boolean':
      return fc.boolean().map(same)
    case 'number': {
      const isWhole = actions.some(({ type }) => type === 'safe_integer' || type === 'integer')
      return isWhole
        ? wholeNumber(
            limitOf('min_value') ?? Number.MIN_SAFE_INTEGER,
            limitOf('max_value') ?? Number.MAX_SAFE_INTEGER,
          )
        : fraction(limitOf('min_value') ?? -Number.MAX_VALUE, limitOf('max_value') ?? Number.MAX_VALUE)
    }
    case 'picklist':
      return fc.constantFrom(...(base.options ?? [])).map(same)
    case 'literal':
      return fc.constant(same(base.literal))
    case 'variant':
    case 'union':
      return fc.oneof(...(base.options ?? []).map((option) => ofNode(option as SchemaNode)))
    case 'array':
      return list(ofNode(member(base, base.item)), limitOf('max_length') ?? 60)
    case 'strict_object':
    case 'object':
      return object(base.entries ?? {}, base.type === 'object')
    case 'custom':
      // Texts by names that nobody declares.
      return actions.some(({ type }) => type === 'raw_check') ? namedTexts.map(same) : jsonObject.map(same)
    case 'record':
    case 'loose_object':
      return jsonObject.map(same)
    case 'unknown':
      return json.map(same)
    default:
      throw new Error(`Nothing is drawn from a schema of the type ${base.type}`)
  }
}

function member(of: SchemaNode, found: SchemaNode | undefined): SchemaNode {
  if (found === undefined) throw new Error(`A schema of the type ${of.type} lacks a part`)
  return found
}

function orNothing(node: SchemaNode): fc.Arbitrary<Drawn> {
  const inner = ofNode(member(node, node.wrapped))
  const nothing = shownForNothing(node)
  const given = node.type === 'nullable' ? [null] : node.type === 'optional' ? [undefined] : [null, undefined]
  return fc.oneof(
    { weight: 3, arbitrary: inner },
    { weight: 1, arbitrary: fc.constantFrom(...given).map((none) => ({ given: none, shown: nothing })) },
  )
}

/** What is shown for a value that is null or left out. */
function shownForNothing(node: SchemaNode): unknown {
  if (node.type === 'nullable') return null
  if (typeof node.default !== 'object' || node.default === null) return node.default
  const entries = Object.entries(partsOf(member(node, node.wrapped)).base.entries ?? {})
  return Object.fromEntries(entries.map(([name, entry]) => [name, shownForNothing(entry)]))
}

const WHOLE = [
  0,
  -0,
  1,
  -1,
  10,
  255,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
]

function wholeNumber(min: number, max: number): fc.Arbitrary<Drawn> {
  const fits = (value: number) => value >= min && value <= max
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constantFrom(min, max, ...WHOLE.filter(fits)) },
      { weight: 2, arbitrary: fc.integer({ min: Math.max(min, -20), max: Math.min(max, 20) }) },
      { weight: 2, arbitrary: fc.integer({ min, max }) },
    )
    .map(same)
}

const FRACTIONS = [
  0,
  -0,
  0.1 + 0.2,
  0.1,
  1 / 3,
  -1 / 3,
  5e-324,
  -5e-324,
  2 ** -1022,
  1e-7,
  123_456.789,
  2 ** 53,
  1e15,
  1e21,
  1e300,
  Number.MAX_VALUE,
  100,
  12.5,
]

function fraction(min: number, max: number): fc.Arbitrary<Drawn> {
  const fits = (value: number) => value >= min && value <= max
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constantFrom(min, max, ...FRACTIONS.filter(fits)) },
      {
        weight: 2,
        arbitrary: fc
          .integer({ min: Math.max(min, -18_000), max: Math.min(max, 18_000) })
          .map((cents) => cents / 100)
          .filter(fits),
      },
      { weight: 3, arbitrary: fc.double({ min, max, noNaN: true, noDefaultInfinity: true }) },
    )
    .map(same)
}

function list(item: fc.Arbitrary<Drawn>, max: number): fc.Arbitrary<Drawn> {
  const few = fc.array(item, { maxLength: Math.min(max, 4), size: 'max' })
  const many = fc.array(item, { minLength: Math.min(max, 10), maxLength: Math.min(max, 60), size: 'max' })
  return fc
    .oneof({ weight: 20, arbitrary: few }, { weight: 1, arbitrary: many })
    .map((items) => ({ given: items.map(({ given }) => given), shown: items.map(({ shown }) => shown) }))
}

/** An object, shown with its members in the order of their declaration. Where unknown ones are dropped, it has one. */
function object(entries: Readonly<Record<string, SchemaNode>>, dropsUnknown: boolean): fc.Arbitrary<Drawn> {
  const members = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, ofNode(entry)]))
  return fc.record(members).map((drawn) => {
    const part = (of: keyof Drawn) => Object.entries(drawn).map(([name, value]) => [name, value[of]] as const)
    const unknown = dropsUnknown ? [['unknown', { secret: 1 }] as const] : []
    return {
      given: withoutUndefined([...unknown, ...part('given').reverse()]),
      shown: withoutUndefined(part('shown')),
    }
  })
}

function withoutUndefined(members: readonly (readonly [string, unknown])[]): JsonObject {
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** Names of members of answers that are never published. */
export const SENSITIVE_NAMES = [
  '__proto__',
  '_internal',
  '$where',
  'password',
  'apiKey',
  'api_key',
  'API-KEY',
  'card number',
  'cardNumber2',
  'user.secret',
  'Authorization',
  'cvv',
  'webhookUrl',
  'accessToken',
]

const PUBLIC_NAMES = [
  '',
  '0',
  '10',
  '01',
  'constructor',
  'toString',
  'businessName',
  'secretary',
  'tokensBought',
  'é',
  '😀',
  'a b',
  'a"b',
  'a\\b',
  'a\u2028b',
  'a\nb',
]

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PUBLIC_NAMES, ...SENSITIVE_NAMES) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
)

const DEEP_MAX = 400

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const { value: json } = fc.letrec<{
  readonly value: unknown
  readonly list: unknown[]
  readonly object: JsonObject
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText({ min: 0, max: 2_000 }),
    fc
      .oneof(fraction(-Number.MAX_VALUE, Number.MAX_VALUE), wholeNumber(-(2 ** 53), 2 ** 53))
      .map(({ given }) => given),
    fc.constantFrom(null, true, false),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 5 })
    .map((members) => Object.fromEntries(members)),
}))

const namedTexts = fc
  .array(fc.tuple(anyText({ min: 1, max: 64 }), anyText({ min: 0, max: 1_000 })), { maxLength: 50 })
  .map((members) => Object.fromEntries(members))

const jsonObject: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.array(fc.tuple(name, json), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: DEEP_MAX }).map((depth) => ({ nested: nested(depth) })) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 100, max: 600 })
      .map((count) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`member ${index}`, index])),
      ),
  },
)

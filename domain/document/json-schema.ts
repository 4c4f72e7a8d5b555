import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { isJsonObject, listOf } from '../text/encoding.ts'
import { termOf } from './glossary.ts'

/**
 * The JSON Schema (2020-12) of a published value, as OpenAPI 3.1 requires it: without `$schema`, and with null as a
 * type.
 */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  return converted(schema, 'throw')
}

/**
 * The JSON Schema of a request body in which unknown keys are ignored. Rules that JSON Schema cannot express are in its
 * descriptions.
 */
export function requestSchemaOf(schema: v.GenericSchema): JsonSchema {
  return withMeaningFirst(withOpenObjects(converted(schema, 'ignore')))
}

/** The JSON Schema of a published field. Objects of which it is not said otherwise may have other keys. */
export function fieldSchemaOf(schema: v.GenericSchema): JsonSchema {
  return withOpenObjects(withAnyKeys(jsonSchemaOf(schema)))
}

/** The JSON Schema of a body that the document lists by name. */
export function componentSchemaOf(schema: v.GenericSchema): JsonSchema {
  return withMeaningFirst(withBareWords(withAnyKeys(jsonSchemaOf(schema))))
}

/** Removes the rule that keys are strings, which they always are, and writes "anything" as `true`. */
export function withAnyKeys(schema: JsonSchema): JsonSchema {
  return rewritten(schema, (node) => {
    const { additionalProperties: others } = node
    const isAnything = isSchema(others) && Object.keys(others).length === 0
    return without('propertyNames', isAnything ? { ...node, additionalProperties: true } : node)
  })
}

/** Removes the type of an enumeration, because its values show it. */
export function withBareWords(schema: JsonSchema): JsonSchema {
  return rewritten(schema, (node) => ('enum' in node ? without('type', node) : node))
}

/** Puts the description of a whole body before its properties. */
function withMeaningFirst(schema: JsonSchema): JsonSchema {
  const { type, description, ...rest } = schema
  return description === undefined ? schema : { type, description, ...rest }
}

/** Marks each object without a rule for other keys as allowing them, because other keys are ignored. */
function withOpenObjects(schema: JsonSchema): JsonSchema {
  return rewritten(schema, (node) =>
    [node.type].flat().includes('object') && !('additionalProperties' in node)
      ? { additionalProperties: true, ...node }
      : node,
  )
}

function converted(schema: v.GenericSchema, errorMode: 'throw' | 'ignore'): JsonSchema {
  const all = toJsonSchema(schema, { target: 'draft-2020-12', errorMode })
  // What a schema is called in the document and to people is no keyword of it.
  const bare = (node: JsonSchema) => withTypeList(without('component', without('words', node)))
  return rewritten(without('$schema', { ...all }), bare)
}

function without(keyword: string, node: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key !== keyword))
}

/**
 * Rewrites `anyOf: [{type: T, …}, …, {type: null}]` as `type: [T, …, null]`, the shorter form that OpenAPI 3.1 allows.
 * When two alternatives have the same keyword, the short form could not say which of them the keyword belongs to, so
 * the long form stays.
 */
function withTypeList(node: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf) || !anyOf.every(isSchema)) return node
  const types = anyOf.map(({ type }) => type)
  const alternatives = anyOf.slice(0, -1)
  if (types.at(-1) !== 'null' || !types.every((type) => typeof type === 'string')) return node
  const keywords = alternatives
    .flatMap((alternative) => Object.keys(alternative))
    .filter((key) => key !== 'type')
  if (new Set(keywords).size < keywords.length) return node
  const merged = merge(alternatives, rest)
  return { ...merged, ...wordsWithNull(merged), type: types }
}

/** Merges the keywords of several schemas. Those that restrict a value come before the one that describes its items. */
function merge([only, ...more]: readonly JsonSchema[], rest: JsonSchema): JsonSchema {
  if (more.length === 0) return { ...rest, ...only }
  const { items, ...bounds } = more.reduce((all, alternative) => ({ ...all, ...alternative }), {
    ...rest,
    ...only,
  })
  return items === undefined ? bounds : { ...bounds, items }
}

/** A JSON Schema with keywords, as the contract document writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Rewrites a schema and every schema within it, the inner ones first. Examples and property names are not changed. */
function rewritten(schema: JsonSchema, rewrite: (node: JsonSchema) => JsonSchema): JsonSchema {
  const inner = Object.entries(schema).map(
    ([keyword, value]) => [keyword, innerOf(keyword, value, rewrite)] as const,
  )
  return rewrite(Object.fromEntries(inner))
}

function innerOf(keyword: string, value: unknown, rewrite: (node: JsonSchema) => JsonSchema): unknown {
  switch (keyword) {
    case 'properties': {
      const named = namedSchemas(value)
      return Object.fromEntries(named.map(([name, property]) => [name, rewritten(property, rewrite)]))
    }
    case 'items':
    case 'additionalProperties':
      return isSchema(value) ? rewritten(value, rewrite) : value
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value)
        ? value.map((each: unknown) => (isSchema(each) ? rewritten(each, rewrite) : each))
        : value
    default:
      return value
  }
}

/** Whether a value is a schema with keywords, and not one of the schemas `true` and `false`. */
function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value)
}

/** The schemas of the keyword `properties` with their names. */
function namedSchemas(properties: unknown): readonly (readonly [string, JsonSchema])[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).map(([name, property]) => {
    if (!isSchema(property)) throw new Error(`The property ${name} has no schema with keywords`)
    return [name, property]
  })
}

/** The keyword `enum` of a schema, with null added to its values; nothing when the schema has none. */
export function wordsWithNull({ enum: words }: JsonSchema): JsonSchema {
  return Array.isArray(words) ? { enum: [...listOf(words), null] } : {}
}

/**
 * Adds the glossary's description and example to every property of a schema, at any depth. A description or example
 * that the schema has already stays.
 * @param path the schema's name, and the names of the properties that lead to this part of it
 */
export function explained(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const parts = Object.entries(schema).map(
    ([keyword, value]) => [keyword, explainedPart(keyword, value, path)] as const,
  )
  return Object.fromEntries(parts)
}

function explainedPart(keyword: string, value: unknown, path: readonly string[]): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        namedSchemas(value).map(([name, inner]) => [name, explainedProperty(inner, [...path, name])]),
      )
    case 'items':
    case 'additionalProperties':
      return isSchema(value) ? explained(value, path) : value
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value)
        ? value.map((inner: unknown) => (isSchema(inner) ? explained(inner, path) : inner))
        : value
    default:
      return value
  }
}

function explainedProperty(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const inner = explained(schema, path)
  const term = termOf(path)
  if (term === null) return inner
  const [description, example] = term
  const saysItself =
    example === undefined || '$ref' in inner || 'const' in inner || 'examples' in inner || 'example' in inner
  const examples = saysItself || !fits(example, inner) ? {} : { examples: [example] }
  return { description, ...inner, ...examples }
}

/** Finds the schema that a `$ref` names. */
export type Resolve = (reference: string) => JsonSchema

const textOfFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-05-20T08:30:00.000Z',
  date: '2026-05-20',
  uuid: '018f3c6e-7b1a-7c3d-9e2f-5a6b7c8d9e0f',
  uri: 'https://example.com/',
  email: 'ada@example.com',
}

/**
 * A value that the schema allows: the schema's own example, else one composed from the examples of its parts. An object
 * has its required properties, or all of them when none is required.
 */
export function exampleOf(schema: JsonSchema, resolve: Resolve): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve)
  const given = [schema.const, listOf(schema.examples)[0], schema.example, listOf(schema.enum)[0]]
  const found = given.find((value) => value !== undefined)
  if (found !== undefined) return found
  const [choice] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(listOf)
  return isSchema(choice) ? exampleOf(choice, resolve) : ofType(schema, resolve)
}

function ofType(schema: JsonSchema, resolve: Resolve): unknown {
  switch (typesOf(schema).find((name) => name !== 'null') ?? 'any') {
    case 'object':
      return ofObject(schema, resolve)
    case 'array':
      return isSchema(schema.items) ? [exampleOf(schema.items, resolve)] : []
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' && schema.minimum > 1 ? schema.minimum : 1
    case 'string':
      return textOfFormat[typeof schema.format === 'string' ? schema.format : ''] ?? 'text'
    default:
      return null
  }
}

function ofObject({ properties, required }: JsonSchema, resolve: Resolve): unknown {
  const names = listOf(required)
  const shown = namedSchemas(properties).filter(([name]) => names.length === 0 || names.includes(name))
  return Object.fromEntries(shown.map(([name, inner]) => [name, exampleOf(inner, resolve)]))
}

/**
 * Whether a value fits a schema's type, enumeration and bounds. No value is taken to fit a `$ref`, whose schema has an
 * example of its own.
 */
export function fits(value: unknown, schema: JsonSchema): boolean {
  if ('$ref' in schema) return false
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.some((choice: unknown) => isSchema(choice) && fits(value, choice))
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOf(value, type))) return false
  if (typeof value !== 'number') return true
  const { minimum, maximum } = schema
  return (
    !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum)
  )
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : listOf(type).filter((name) => typeof name === 'string')
}

/** A parameter as the document describes it. */
export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'header' | 'query'
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}

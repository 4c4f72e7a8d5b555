import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { isSchema, rewritten, wordsWithNull, type JsonSchema } from './rewrite-schema.ts'

export type { JsonSchema } from './rewrite-schema.ts'

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
  return rewritten(without('$schema', { ...all }), (node) => withTypeList(without('component', node)))
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

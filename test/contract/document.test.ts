import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { operatorTags, tags } from '../../domain/record/description.ts'
import { documents } from '../support/contract/contract-document.ts'

type Node = Readonly<Record<string, unknown>>

const cases = [
  { name: 'public', document: documents.contract, allTags: tags },
  { name: 'operator', document: documents.operator, allTags: operatorTags },
] as const

/** Every object of the document except examples, with the keys that lead to it. */
function* parts(node: unknown, path: readonly string[] = []): Generator<readonly [readonly string[], Node]> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield [path, node as Node]
  for (const [key, inner] of Object.entries(node)) {
    if (!['example', 'examples', 'x-codeSamples'].includes(key)) yield* parts(inner, [...path, key])
  }
}

describe.each(cases)('the $name document', ({ document, allTags }) => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> }
  const operations = Object.values(document.paths as Readonly<Record<string, Readonly<Record<string, Node>>>>)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [String(operation.operationId), operation] as const)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ ...document, $id: 'contract' })

  function problemsOf(path: readonly string[], value: unknown): readonly string[] {
    const pointer = path.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    const validate = ajv.compile({ $ref: `contract#/${pointer.join('/')}` })
    void validate(value)
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${path.join('.')}: ${instancePath} ${message ?? ''}`,
    )
  }

  describe('examples', () => {
    test('of schemas and their properties are values that the schema allows', () => {
      const problems = [...parts(document)].flatMap(([path, node]) =>
        Array.isArray(node.examples) ? node.examples.flatMap((example) => problemsOf(path, example)) : [],
      )
      expect(problems).toEqual([])
    })

    test('of parameters and bodies are values that their schema allows', () => {
      const checked = [...parts(document)].filter(([, node]) => 'example' in node && 'schema' in node)
      expect(checked.length).toBeGreaterThan(operations.length)
      expect(checked.flatMap(([path, { example }]) => problemsOf([...path, 'schema'], example))).toEqual([])
    })

    test('stand at every schema, parameter and body', () => {
      const bare = [...parts(document)].flatMap(([path, node]) => {
        const isShown = 'example' in node || 'examples' in node
        const { schema } = node as { readonly schema?: Node }
        return schema === undefined || isShown || '$ref' in schema || path.includes('headers')
          ? []
          : [path.join('.')]
      })
      expect(bare).toEqual([])
      expect(Object.keys(schemas).filter((name) => !('examples' in (schemas[name] ?? {})))).toEqual([])
    })
  })

  describe('descriptions', () => {
    test('stand at every schema and every property; a new name belongs into domain/document/glossary', () => {
      const unnamed = [...parts(document)].flatMap(([path, node]) =>
        Object.entries((path.at(-1) === 'properties' ? node : {}) as Readonly<Record<string, Node>>).flatMap(
          ([name, property]) => (property.description === undefined ? [[...path, name].join('.')] : []),
        ),
      )
      expect(unnamed).toEqual([])
      expect(Object.keys(schemas).filter((name) => schemas[name]?.description === undefined)).toEqual([])
    })

    test.each(operations)('stand at %s, its parameters, its responses and their headers', (_, operation) => {
      const described = [
        operation,
        ...(operation.parameters as readonly Node[]),
        ...Object.values(operation.responses as Readonly<Record<string, Node>>),
      ].flatMap((node) => [node, ...Object.values((node.headers ?? {}) as Readonly<Record<string, Node>>)])
      for (const node of described) {
        expect(typeof (node.description ?? node.$ref), JSON.stringify(node)).toBe('string')
      }
    })
  })

  test('every object says which properties it may have', () => {
    const open = [...parts(document)].flatMap(([path, node]) => {
      const isObject = [node.type].flat().includes('object') && !path.includes('properties.type')
      return isObject && node.additionalProperties === undefined ? [path.join('.')] : []
    })
    expect(open).toEqual([])
  })

  test('null is a type of a property, as 3.1 has it, and a word where there are words', () => {
    const nodes = [...parts(document)].filter(([, node]) => Array.isArray(node.type))
    expect(nodes.length).toBeGreaterThan(10)
    for (const [path, { type, enum: words }] of nodes) {
      if (!Array.isArray(words)) continue
      expect(words.includes(null), path.join('.')).toBe((type as readonly string[]).includes('null'))
    }
    expect(JSON.stringify(document)).not.toContain('"nullable"')
  })

  test('operations are grouped in the order of the tags, each under one id', () => {
    const ids = operations.map(([id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const shown = (document.tags as readonly { readonly name: string }[]).map(({ name }) => name)
    expect(shown).toEqual(allTags.filter((tag) => shown.includes(tag)))
    for (const [, operation] of operations) expect(shown).toContain((operation.tags as readonly string[])[0])
  })

  test.each(operations)('%s has samples in curl and TypeScript', (_, operation) => {
    const samples = operation['x-codeSamples'] as readonly {
      readonly label: string
      readonly source: string
    }[]
    expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript'])
    for (const { source } of samples) expect(source).not.toMatch(/undefined|\[object/)
  })
})

import { expect, test } from 'vitest'
import { endpoints } from '../support/contract/endpoints.ts'
import { buildDocument } from '../../domain/document/openapi.ts'
import { operatorTexts } from '../../domain/document/operator-texts.ts'
import { operatorEndpoints } from '../../domain/operator-api.ts'

// What no linter of documents looks for, and what generators of clients stumble over: one expression that the language
// of a client cannot compile makes its tools refuse the whole document.

type Node = Readonly<Record<string, unknown>>

/** Every object in a value with its path, those in lists too. */
function* nodesIn(value: unknown, path = '#'): Generator<readonly [string, Node]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Node]
  for (const [key, inner] of Object.entries(value)) yield* nodesIn(inner, `${path}/${key}`)
}

/** What both RE2 and ECMA-262, with and without the flag u, take after a backslash. */
const ESCAPE = /^(?:[dDwWsSbBnrtfv]|x[\da-fA-F]{2}|[\^$\\.*+?()[\]{}|/])/

/** What a pattern has that RE2 (Go, Rust, C++) or ECMA-262 refuses; null: nothing. */
function notPortable(pattern: string): string | null {
  for (let at = pattern.indexOf('\\'); at !== -1; at = pattern.indexOf('\\', at + 2))
    if (!ESCAPE.test(pattern.slice(at + 1))) return `the escape ${pattern.slice(at, at + 2)}`
  // What is left begins no escape, so that each bracket is one of the grammar.
  const bare = pattern.replaceAll(/\\x..|\\./gsu, 'x')
  const outside = bare.replaceAll(/\[\^?[^\]]+\]/g, 'x')
  if (/\[\^?\]|\[[^\]]*\[/.test(bare)) return 'an empty or nested class'
  if (/\(\?(?!:)/.test(outside)) return 'a group that is no plain one'
  if (/[*+?}][*+]/.test(outside)) return 'a possessive quantifier'
  const counts = [...outside.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, least, most]) => [
    Number(least),
    Number(most),
  ])
  if (counts.some((count) => count > 1_000)) return 'a count above 1,000'
  return null
}

/** The patterns in a document that some language cannot compile. */
function unportablePatterns(document: unknown): readonly string[] {
  return [...nodesIn(document)].flatMap(([path, { pattern, patternProperties }]) =>
    [pattern, ...Object.keys(patternProperties ?? {})].flatMap((text) => {
      if (typeof text !== 'string') return []
      expect(() => new RegExp(text, 'u'), text).not.toThrow()
      const problem = notPortable(text)
      return problem === null ? [] : [`${path} ${text}: ${problem}`]
    }),
  )
}

/**
 * The objects with named properties beside others of a type. A named one that may be absent, or is of another type, does
 * not fit the type of the others, so the class or interface that many generators make of both does not compile.
 */
function mixedObjects(document: unknown): readonly string[] {
  return [...nodesIn(document)].flatMap(([path, { properties, additionalProperties: others }]) => {
    const isTyped = typeof others === 'object' && others !== null && Object.keys(others).length > 0
    const names = Object.keys(properties ?? {})
    return isTyped && names.length > 0 ? [`${path}: ${names.join(', ')}`] : []
  })
}

const documents = [
  ['public', buildDocument(endpoints)],
  ['operator', buildDocument(operatorEndpoints, operatorTexts)],
] as const

test.each(documents)('every pattern of the %s document compiles in RE2 and ECMA-262', (_, document) => {
  expect(
    [...nodesIn(document)].filter(([, { pattern }]) => typeof pattern === 'string').length,
  ).toBeGreaterThan(5)
  expect(unportablePatterns(document)).toEqual([])
})

test.each(documents)(
  'no object of the %s document has named properties beside typed others',
  (_, document) => {
    expect(
      [...nodesIn(document)].filter(([, { properties }]) => properties !== undefined).length,
    ).toBeGreaterThan(50)
    expect(mixedObjects(document)).toEqual([])
  },
)

test.each([
  String.raw`^(?!_)`,
  String.raw`(?=a)b`,
  String.raw`(?<=a)b`,
  String.raw`(?<!a)b`,
  String.raw`(?<name>a)`,
  String.raw`(a)\1`,
  String.raw`(?<n>a)\k<n>`,
  String.raw`^\p{Lu}`,
  String.raw`\P{Cc}`,
  String.raw`[^\u0000-\u001f]`,
  String.raw`\u{1f600}`,
  String.raw`\cA`,
  String.raw`\0`,
  String.raw`[]`,
  String.raw`[^]`,
  String.raw`a{1,1001}`,
])('the pattern %s is found', (pattern) => {
  expect(unportablePatterns({ paths: [{ schema: { type: 'string', pattern } }] })).toHaveLength(1)
})

test.each([
  String.raw`^(?:$|[^_])`,
  String.raw`^[^\x00-\x1f\x7f-\x9f]*$`,
  String.raw`^\[\d{1,3},"[^\n]*"\]$`,
  String.raw`^[\w-]{43}$`,
  String.raw`\\(?:a|b)\(\?=`,
  String.raw`[(?=]`,
])('the pattern %s is not', (pattern) => {
  expect(unportablePatterns({ pattern })).toEqual([])
})

test('an object with a named property beside typed others is found', () => {
  const text = { type: 'string' }
  const mixed = {
    type: 'object',
    properties: { _password: text },
    additionalProperties: { type: ['string', 'null'] },
  }
  expect(mixedObjects({ deep: [{ schema: mixed }] })).toEqual(['#/deep/0/schema: _password'])
  for (const fine of [
    { ...mixed, additionalProperties: true },
    { ...mixed, additionalProperties: {} },
    { ...mixed, properties: {} },
    { ...mixed, additionalProperties: true, patternProperties: { '^[^_]': text } },
  ])
    expect(mixedObjects(fine)).toEqual([])
})

test('the patterns without lookahead and with ASCII escapes accept what those before them did', () => {
  const patterns = [...nodesIn(documents)].flatMap(([, { pattern }]) =>
    typeof pattern === 'string' ? [pattern] : [],
  )
  const before = new Map([
    [String.raw`^(?:$|[^_])`, /^(?!_)/],
    [String.raw`^[^\x00-\x1f\x7f-\x9f]*$`, /^[^\p{Cc}]*$/u],
  ])
  for (const [pattern, meaning] of before) {
    expect(patterns).toContain(pattern)
    for (let code = 0; code < 0x3000; code += 1) {
      const character = String.fromCharCode(code)
      for (const text of [character, `${character}_`, `_${character}`, `a${character}\n`])
        expect(new RegExp(pattern, 'u').test(text), JSON.stringify(text)).toBe(meaning.test(text))
    }
    expect(new RegExp(pattern, 'u').test('')).toBe(meaning.test(''))
  }
})

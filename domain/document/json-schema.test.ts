import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { component, worded } from '../record/meaning.ts'
import { componentSchemaOf, jsonSchemaOf, requestSchemaOf } from './json-schema.ts'

describe('values of several types', () => {
  it('have one list of types, with the keywords of each', () => {
    const text = v.pipe(v.string(), v.maxLength(9))
    const list = v.pipe(v.array(v.string()), v.maxLength(3))
    expect(jsonSchemaOf(v.union([text, v.number(), list, v.null()]))).toEqual({
      type: ['string', 'number', 'array', 'null'],
      maxLength: 9,
      maxItems: 3,
      items: { type: 'string' },
    })
    expect(jsonSchemaOf(v.nullable(v.picklist(['a', 'b'])))).toEqual({
      type: ['string', 'null'],
      enum: ['a', 'b', null],
    })
  })

  it('stay apart where a keyword would no longer say which type it bounds', () => {
    const low = v.pipe(v.number(), v.minValue(1))
    const whole = v.pipe(v.number(), v.integer(), v.minValue(5))
    expect(jsonSchemaOf(v.union([low, whole, v.null()]))).toEqual({
      anyOf: [{ type: 'number', minimum: 1 }, { type: 'integer', minimum: 5 }, { type: 'null' }],
    })
  })
})

it('properties named like keywords are properties all the same', () => {
  const names = { component: v.string(), propertyNames: v.string(), enum: v.string(), type: v.string() }
  const schema = componentSchemaOf(component('Odd', v.strictObject(names)))
  expect(Object.keys(schema.properties as object)).toEqual(Object.keys(names))
  expect(schema).not.toHaveProperty('component')
})

it('what a value is called for people is no keyword', () => {
  const named = worded(v.string(), { label: 'Least' })
  expect(jsonSchemaOf(v.strictObject({ min: v.nullish(named, null), words: named }))).toMatchObject({
    properties: { min: { type: ['string', 'null'], default: null }, words: { type: 'string' } },
  })
  expect(JSON.stringify(jsonSchemaOf(v.strictObject({ min: named })))).not.toContain('Least')
})

it('keys that a request may have besides keep their rule', () => {
  expect(requestSchemaOf(v.object({ a: v.object({}) }))).toMatchObject({
    additionalProperties: true,
    properties: { a: { additionalProperties: true } },
  })
  expect(requestSchemaOf(v.objectWithRest({}, v.string()))).toMatchObject({
    additionalProperties: { type: 'string' },
  })
})

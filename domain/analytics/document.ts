import * as v from 'valibot'
import { jsonSchemaOf } from '../contract/json-schema.ts'

/** What the endpoints share in the contract document: parameters, responses, and the parts that bodies are made of. */

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const cents = v.pipe(v.number(), v.safeInteger())
const instant = v.pipe(v.string(), v.isoTimestamp())

/** A value with what it means. */
export function described<Schema extends v.GenericSchema>(schema: Schema, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

/** A percentage with what it is of; null when that is nothing. */
export function percentageOf(meaning: string) {
  return v.pipe(
    v.nullable(v.pipe(v.number(), v.minValue(0))),
    v.description(
      `${meaning} A percentage to two decimals, halves up; null when there is nothing to divide by.`,
    ),
  )
}

export const organizationId = described(v.string(), 'The organization bound to the key.')

export const dateRange = v.pipe(
  v.strictObject({ start: v.nullable(instant), end: v.nullable(instant) }),
  v.description(
    'The bounds as applied, both included, as exact instants; null: none was given, or it was ignored.',
  ),
)

type Node = Readonly<Record<string, unknown>>

const bounds =
  'A day (`YYYY-MM-DD`, UTC) or an ISO 8601 instant with an explicit offset (`+` is written `%2B`). Any other value, and a parameter given more than once, is ignored.'

/** The two parameters that bound a time; `what` is the end of a sentence that begins with the bound. */
export function rangeParameters(startName: string, endName: string, what: string): readonly Node[] {
  const parameter = (name: string, meaning: string, example: string) => ({
    name,
    in: 'query',
    description: `${meaning} ${bounds}`,
    schema: { type: 'string' },
    example,
  })
  return [
    parameter(
      startName,
      `Inclusive lower bound on ${what}; a day counts from its first instant.`,
      '2026-01-01',
    ),
    parameter(endName, `Inclusive upper bound on ${what}; a day counts to its last instant.`, '2026-03-31'),
  ]
}

/** Of an endpoint: its 200 with an example, and the failures that it shares with the others. */
export function responses<Body>(body: v.GenericSchema<unknown, Body>, example: Body, more: Node = {}): Node {
  return {
    '200': {
      description: 'The figures.',
      content: { 'application/json': { schema: jsonSchemaOf(body), example } },
    },
    ...more,
    '401': { $ref: '#/components/responses/Unauthorized' },
    '500': { $ref: '#/components/responses/InternalError' },
  }
}

/** The answer to an organization that lacks what the endpoint requires. */
export const forbidden: Node = { '403': { $ref: '#/components/responses/Forbidden' } }

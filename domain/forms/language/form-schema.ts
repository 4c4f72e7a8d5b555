import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { isJsonObject } from '../../text/encoding.ts'
import { FormLineInput, SCHEMA_KEY } from './check.ts'
import { FieldSettings, Rule } from './field-schema.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The JSON Schema (2020-12) of a form as `form save` takes it, from the declarations with which the service checks a
 * form. What it refuses, the service refuses. The service refuses more only where two parts of a form do not fit each
 * other, and addresses and instants that it reads itself.
 */
export function formSchema(): JsonSchema {
  const { properties, required, ...form } = bare(FormLineInput)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Form',
    description: 'A form that takes submissions here.',
    ...form,
    properties: {
      [SCHEMA_KEY]: { description: 'Where this schema is, for editors. It is not kept.' },
      ...propertiesOf(properties),
      requireEmailVerification: { enum: [false, null] },
      posEnrollment: { enum: [false, null] },
      fields: { type: 'array', items: { $ref: '#/$defs/field' } },
    },
    // Both may be left out: the form is then unpublished, or stays what it is, and notifies nobody.
    required: namesOf(required).filter((name) => name !== 'isPublished' && name !== 'notificationEmails'),
    additionalProperties: false,
    $defs: { field: fieldSchema(), rule: ruleSchema() },
  }
}

function fieldSchema(): JsonSchema {
  const { properties, ...field } = bare(FieldSettings)
  const rules = { type: 'array', minItems: 1, items: { $ref: '#/$defs/rule' } }
  const when = {
    type: 'object',
    properties: { match: { enum: ['all', 'any'] }, rules },
    required: ['match', 'rules'],
  }
  return {
    ...field,
    properties: { ...propertiesOf(properties), visibleWhen: { anyOf: [when, { type: 'null' }] } },
    additionalProperties: false,
    allOf: [
      ifOneOf('type', ['single_choice', 'multiple_choice'], {
        properties: { options: { type: 'array', minItems: 1 } },
        required: ['options'],
      }),
      ifOneOf('type', ['number'], boundsOf({ type: ['number', 'null'] })),
      ifOneOf('type', ['date'], boundsOf({ type: ['string', 'null'], pattern: CALENDAR_DATE })),
    ],
  }
}

function boundsOf(bound: JsonSchema): JsonSchema {
  return { properties: { min: bound, max: bound } }
}

/** The rule of `visibleWhen` in the declaration, with what its operator needs. */
function ruleSchema(): JsonSchema {
  const rule = bare(Rule)
  const compared = { anyOf: [scalar, { type: 'array', minItems: 1, items: scalar }] }
  return {
    ...rule,
    allOf: [
      {
        ...ifOneOf('operator', ['is_empty', 'is_not_empty'], {}),
        else: { properties: { value: compared }, required: ['value'] },
      },
      ifOneOf('operator', ['any_of', 'none_of'], { properties: { value: { type: 'array' } } }),
    ],
  }
}

/** A value with which an answer can be compared. */
const scalar = { anyOf: [{ type: 'string', pattern: '\\S' }, { type: ['number', 'boolean'] }] }

/** Matches the days of the Gregorian calendar, leap days only in leap years. */
const CALENDAR_DATE =
  '^(?:\\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$'

function ifOneOf(name: string, words: readonly string[], then: JsonSchema): JsonSchema {
  return { if: { properties: { [name]: { enum: words } }, required: [name] }, then }
}

/** The schema of a declaration. Rules that JSON Schema cannot say are left out, and so are defaults and the version. */
function bare(schema: v.GenericSchema): JsonSchema {
  return withoutDefaults(toJsonSchema(schema, { target: 'draft-2020-12', errorMode: 'ignore' }))
}

function withoutDefaults(schema: object): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) => {
      if (keyword === 'default' || keyword === '$schema') return []
      if (keyword === 'properties' && isJsonObject(value)) {
        const inner = Object.entries(value).map(([name, property]) => [name, inside(property)] as const)
        return [[keyword, Object.fromEntries(inner)] as const]
      }
      return [[keyword, inside(value)] as const]
    }),
  )
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside)
  return isJsonObject(value) ? withoutDefaults(value) : value
}

function propertiesOf(properties: unknown): JsonSchema {
  return isJsonObject(properties) ? properties : {}
}

function namesOf(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.map(String) : []
}

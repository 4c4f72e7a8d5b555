import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { generatedForm } from '../../../test/support/data/forms/generated-forms.ts'
import { seededRandom } from '../../../test/support/runner/fakes.ts'
import { saveForms } from '../../operators/save-forms.ts'
import { isJsonObject } from '../../text/encoding.ts'
import { answerTypes, ruleOperators } from './definition.ts'
import { formSchema } from './form-schema.ts'
import { thorough } from '../../../test/support/runner/thorough.ts'

const matches = new Ajv2020({ allErrors: false, strict: false }).compile(formSchema())

/** FORM_DEFINITIONS sets how many generated definitions are tried. */
const COUNT = Number(process.env.FORM_DEFINITIONS ?? thorough(3_000, 1_500))

/** Everything that `form save` and `form publish` have against a form. */
async function objections(form: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const saving = await saveForms([form], new Map(), {
    tenant: { findMany: async () => [], foreignIds: async () => [], change: async () => [''] },
    passwords: { hash: async () => 'hash', verify: async () => false },
    now: '2026-03-01T10:00:00.000Z',
    savedBy: 'Grace',
    isOwner: true,
  })
  if (saving === 'overtaken') throw new Error('Nobody else saves')
  if (saving.kind === 'refused') return saving.problems.map(({ field, message }) => `${field} ${message}`)
  return saving.saved.flatMap(({ reasons }) => reasons)
}

/** What the service refuses and the schema cannot: parts that do not fit each other, and values that it reads. */
const BETWEEN_PARTS = [
  /stands in the form more than once/,
  /depends on each other/,
  /visibleWhen refers to /,
  /visibleWhen uses /,
  /visibleWhen compares /,
  /two of its options have the same value/,
  /must not be greater than/,
  /limits submissions per contact/,
  /^(?:createdAt|publishedAt|publicUrl) must be/,
]

const junk: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  10_001,
  '',
  ' ',
  'x',
  '_x',
  'submissions',
  'a'.repeat(201),
  '2026-02-29',
  '2024-02-29',
  '1900-02-29',
  '2026-04-31',
  '0000-01-01',
  'ada@example.com',
  'https://example.com',
  '2026-01-01T00:00:00Z',
  [],
  [null],
  ['x'],
  [1, 'x'],
  {},
  { value: 'x', label: 'X' },
  ...answerTypes,
  ...ruleOperators,
  'heading',
  'signature',
  'all',
]

const keys = [
  ...['formId', 'name', 'isPublished', 'password', 'requireEmailVerification', 'posEnrollment'],
  ...['submissionLimitPerContact', 'successTitle', 'publicUrl', 'notificationEmails', 'fields', 'createdAt'],
  ...['id', 'type', 'label', 'required', 'placeholder', 'options', 'min', 'max', 'minLength', 'maxLength'],
  ...['contactField', 'visibleWhen', 'match', 'rules', 'field', 'operator', 'value', 'odd', '$schema'],
]

/** Changes some value, at any depth. */
function spoiled(value: unknown, draw: () => number): unknown {
  const one = <Item>(list: readonly Item[]): Item => list[Math.floor(draw() * list.length)] as Item
  if (draw() < 0.15 || typeof value !== 'object' || value === null) return one(junk)
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    if (list.length === 0 || draw() < 0.1) return [...list, one(junk)]
    if (draw() < 0.2) return [...list, one(list)]
    const index = Math.floor(draw() * list.length)
    return list.map((item, at) => (at === index ? spoiled(item, draw) : item))
  }
  const entries = Object.entries(value as Record<string, unknown>)
  if (draw() < 0.2) return { ...value, [one(keys)]: one(junk) }
  if (entries.length === 0) return one(junk)
  const [name, inner] = one(entries)
  if (draw() < 0.15) return Object.fromEntries(entries.filter(([key]) => key !== name))
  return { ...value, [name]: spoiled(inner, draw) }
}

test('the schema and the service agree about generated definitions, right and wrong', async () => {
  const seen = { right: 0, wrong: 0, between: 0 }
  const property = fc.asyncProperty(
    generatedForm,
    fc.constantFrom(0, 1, 1, 2),
    fc.noBias(fc.nat()),
    async (generated, times, seed) => {
      const draw = seededRandom(seed)
      let form: unknown = generated
      for (let time = 0; time < times; time += 1) form = spoiled(form, draw)
      if (!isJsonObject(form)) return
      const found = await objections(form)
      const others = found.filter((objection) => !BETWEEN_PARTS.some((pattern) => pattern.test(objection)))
      // A form that the schema takes is refused for the named reasons alone; one that it refuses is always refused.
      if (matches(form)) expect([others, form]).toEqual([[], form])
      else expect([found.length > 0, form]).toEqual([true, form])
      seen[found.length === 0 ? 'right' : others.length > 0 ? 'wrong' : 'between'] += 1
    },
  )
  await fc.assert(property, { seed: 1, numRuns: COUNT })
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(COUNT / 50)
})

it('knows how many addresses a form may have, and that they may be international', () => {
  const form = (notificationEmails: readonly string[]) => ({
    formId: 'a',
    name: 'A',
    fields: [],
    notificationEmails,
  })
  const addresses = Array.from({ length: 21 }, (_, index) => `a${index}@bücher.example`)
  expect([form(addresses), form(addresses.slice(1)), form(['x'])].map((one) => matches(one))).toEqual([
    false,
    true,
    false,
  ])
})

it('knows every key of a form and of a field, and no other', () => {
  const { properties, $defs } = formSchema() as {
    properties: object
    $defs: { field: { properties: object } }
  }
  expect(Object.keys(properties)).toContain('submissionLimitPerContact')
  expect(Object.keys($defs.field.properties)).toContain('visibleWhen')
  expect(matches({ formId: 'a', name: 'A', fields: [], odd: 1 })).toBe(false)
})

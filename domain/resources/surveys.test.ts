import * as v from 'valibot'
import { expect, it } from 'vitest'
import { surveyConfig } from './surveys.ts'

const field = surveyConfig()
const input = field.input({ organizationId: 'acme', phoneCountry: 'US', toE164: () => null })

const whole = {
  questionText: 'How was it?',
  redirectInterstitialButtonText: 'Go on',
  notesRequired: false,
  freetextThreshold: 7,
  visibleLocationIds: ['site-1'],
  categoryContent: {
    negative: { label: 'Sorry', buttonText: 'Call', buttonUrl: 'tel:1', freetextPlaceholder: 'Why?' },
    promoter: {},
  },
}

it('keeps every setting that was made, and is published as it is stored', () => {
  expect(v.parse(input, whole)).toEqual(whole)
  expect(v.is(field.schema, whole)).toBe(true)
  expect(v.parse(input, {})).toEqual({})
})

it('drops unknown keys and nulls, at every depth', () => {
  const line = {
    ...whole,
    webhookSecret: 'x',
    notesLabel: null,
    categoryContent: {
      ...whole.categoryContent,
      passive: null,
      angry: {},
      promoter: { color: 'red', label: null },
    },
  }
  expect(v.parse(input, line)).toEqual(whole)
})

it.each([
  [undefined, ''],
  [null, ''],
  [[], ''],
  ['text', ''],
  [{ questionText: 1 }, 'questionText'],
  [{ enableNotes: 'true' }, 'enableNotes'],
  [{ freetextThreshold: 1.5 }, 'freetextThreshold'],
  [{ visibleLocationIds: ['a', 1] }, 'visibleLocationIds.1'],
  [{ categoryContent: { neutral: { label: 1 } } }, 'categoryContent.neutral.label'],
])('refuses %j, naming %j', (value, path) => {
  const result = v.safeParse(input, value)
  expect(result.success).toBe(false)
  expect(result.issues?.map((issue) => v.getDotPath(issue) ?? '')).toEqual([path])
})

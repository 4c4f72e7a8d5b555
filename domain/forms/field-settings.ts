import * as v from 'valibot'
import { isCalendarDate } from '../text/instant.ts'
import type { FormField } from './definition.ts'
import { answerTypes, contactFields, displayTypes, operators } from './definition.ts'
import { ANSWER_MAX_LENGTH } from './limits.ts'
import { isBlank } from './readings.ts'

const FIELD_ID_MAX_LENGTH = 200

/** A saved field whose own settings are well-formed, one that is not, or one that only the hosted form can take. */
export type FieldReading =
  | { readonly kind: 'field'; readonly field: FormField }
  | { readonly kind: 'unusable'; readonly id: string | null; readonly problems: readonly string[] }

const Id = v.pipe(
  v.string('the id must be a string'),
  v.nonEmpty('the id must not be empty'),
  v.maxLength(FIELD_ID_MAX_LENGTH, `the id must have at most ${FIELD_ID_MAX_LENGTH} characters`),
  v.check((id) => !id.startsWith('_'), 'the id must not start with "_"'),
)

const optionalText = (name: string) => v.nullish(v.string(`${name} must be a string`), null)

const optionalLength = (name: string) => {
  const message = `${name} must be a whole number from 0 to ${ANSWER_MAX_LENGTH}`
  return v.nullish(
    v.pipe(
      v.number(message),
      v.integer(message),
      v.minValue(0, message),
      v.maxValue(ANSWER_MAX_LENGTH, message),
    ),
    null,
  )
}

const optionalBound = (name: string) =>
  v.nullish(v.union([v.number(), v.string()], `${name} must be a number, or a date for a date field`), null)

const Option = v.object(
  {
    value: v.pipe(
      v.string('the value of an option must be a string'),
      v.check((value) => !isBlank(value), 'the value of an option must not be blank'),
    ),
    label: v.string('the label of an option must be a string'),
  },
  'each option must be an object with value and label',
)

const Rule = v.object(
  {
    field: v.string('the field of a visibleWhen rule must be a string'),
    operator: v.picklist(operators, (issue) => `visibleWhen has the unknown operator ${issue.received}`),
    value: v.nullish(v.unknown(), null),
  },
  'each visibleWhen rule must be an object with field, operator and value',
)

const VisibleWhen = v.object(
  {
    match: v.picklist(['all', 'any'], 'visibleWhen must have match "all" or "any"'),
    rules: v.pipe(
      v.array(Rule, 'visibleWhen must have a list of rules'),
      v.nonEmpty('visibleWhen must have at least one rule'),
    ),
  },
  'visibleWhen must be an object with match and rules',
)

const Settings = v.object({
  id: Id,
  type: v.picklist([...answerTypes, ...displayTypes]),
  label: v.string('label must be a string'),
  required: v.nullish(v.boolean('required must be true or false'), false),
  placeholder: optionalText('placeholder'),
  helpText: optionalText('helpText'),
  options: v.nullish(v.array(Option, 'options must be a list'), []),
  min: optionalBound('min'),
  max: optionalBound('max'),
  minLength: optionalLength('minLength'),
  maxLength: optionalLength('maxLength'),
  contactField: v.nullish(
    v.picklist(contactFields, `contactField must be one of ${contactFields.join(', ')}`),
    null,
  ),
  visibleWhen: v.nullish(VisibleWhen, null),
})

/** The keys a saved field may have. */
export const fieldKeys: readonly string[] = Object.keys(Settings.entries)

/**
 * Reads one entry of a definition's `fields`. Problems are complete sentences that name the field: by its id, or by
 * its place when it has no usable one. Rules are checked for shape only; what they refer to is checked elsewhere.
 * @param index zero-based place of the entry
 */
export function readField(saved: unknown, index: number): FieldReading {
  const place = `Field ${index + 1}`
  if (typeof saved !== 'object' || saved === null || Array.isArray(saved)) {
    return { kind: 'unusable', id: null, problems: [`${place} is not an object.`] }
  }
  const { id: givenId, type } = saved as { readonly id?: unknown; readonly type?: unknown }
  const id = v.is(Id, givenId) ? givenId : null
  const name = id === null ? place : nameOf(id)
  const typeProblem = hostedOnly(type)
  if (typeProblem !== null) return { kind: 'unusable', id, problems: [`${name} ${typeProblem}.`] }
  const result = v.safeParse(Settings, saved)
  const problems = result.success
    ? combinationProblems(result.output)
    : [...new Set(result.issues.map((issue) => issue.message))]
  if (result.success && problems.length === 0) return { kind: 'field', field: result.output }
  return { kind: 'unusable', id, problems: problems.map((problem) => `${name}: ${problem}.`) }
}

/** How reasons name a field. */
export function nameOf(id: string): string {
  return `Field ${JSON.stringify(id)}`
}

function hostedOnly(type: unknown): string | null {
  if (typeof type !== 'string') return 'has no type'
  if (v.is(Settings.entries.type, type)) return null
  return `is of type ${JSON.stringify(type)}, which only the hosted form can take`
}

function combinationProblems(field: FormField): readonly string[] {
  return [choiceProblem(field), boundProblem(field), lengthProblem(field)].filter(
    (problem) => problem !== null,
  )
}

function choiceProblem({ type, options }: FormField): string | null {
  if (type !== 'single_choice' && type !== 'multiple_choice') return null
  if (options.length === 0) return 'it is a choice without options'
  const values = new Set(options.map(({ value }) => value))
  return values.size === options.length ? null : 'two of its options have the same value'
}

function boundProblem({ type, min, max }: FormField): string | null {
  if (type !== 'number' && type !== 'date') return null
  const fits = (bound: number | string | null): boolean => {
    if (bound === null) return true
    return type === 'number' ? Number.isFinite(bound) : typeof bound === 'string' && isCalendarDate(bound)
  }
  const kind = type === 'number' ? 'a number' : 'a date (YYYY-MM-DD)'
  if (!fits(min)) return `min must be ${kind}`
  if (!fits(max)) return `max must be ${kind}`
  return min !== null && max !== null && min > max ? 'min must not be greater than max' : null
}

function lengthProblem({ minLength, maxLength }: FormField): string | null {
  if (minLength === null || maxLength === null || minLength <= maxLength) return null
  return 'minLength must not be greater than maxLength'
}

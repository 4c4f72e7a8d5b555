import type { FormDefinition } from '../../../ports/records.ts'
import {
  isAnswerField,
  answerTypes,
  hostedTypes,
  type AnswerField,
  type FormField,
  type RuleOperator,
  type Rule,
  type AnswerType,
  type DisplayType,
} from './definition.ts'
import { dependencyOrder, readOperand, subjectTakes, takesNoValue } from './visibility.ts'
import * as v from 'valibot'
import { isCalendarDate } from '../../text/instant.ts'
import { PROBLEMS_MAX } from '../../limits/limits.ts'
import { isJsonObject, keysOf } from '../../text/encoding.ts'
import { FieldId, FieldSettings } from './field-schema.ts'

/** A definition that can be submitted here, prepared so that a submission need not check its shape again. */
export interface CompiledForm {
  readonly definition: FormDefinition
  /** Every field, in the order in which the form shows them. */
  readonly fields: readonly FormField[]
  /** Every field, subjects of rules before the fields that depend on them. */
  readonly resolved: readonly FormField[]
  /** The fields that take an answer, by id, in the order of the form. A Map: ids such as `constructor` are ordinary. */
  readonly answerFields: ReadonlyMap<string, AnswerField>
  /** Those of them whose answers are text, so that they can fill an attribute of a contact. */
  readonly contactFields: readonly AnswerField[]
  /** The required, always visible field mapped to email or phone that a form with a per-contact limit must have. */
  readonly identifyingField: AnswerField | null
}

/** A compiled form, or why the definition needs the hosted form: sentences that name the field. */
export type Compilation =
  | { readonly kind: 'supported'; readonly form: CompiledForm }
  | {
      readonly kind: 'unsupported'
      /** At most `PROBLEMS_MAX`. */
      readonly reasons: readonly string[]
      /** All of them, with their places. */
      readonly problems: readonly FormProblem[]
    }

/** The keys and positions that lead to a part of a form, such as `['fields', 0, 'min']`. */
export type FormPath = readonly (string | number)[]

/** Something about a part of a form. */
export interface FormProblem {
  /** The smallest part that it concerns. */
  readonly path: FormPath
  /** A sentence that names the field. */
  readonly sentence: string
}

/** Checks a saved definition completely and prepares it. Depends on the definition alone, so it can be cached. */
export function compileForm(definition: FormDefinition): Compilation {
  const readings = definition.fields.map(readField)
  const fields = readings.flatMap((reading) => (reading.kind === 'field' ? [reading.field] : []))
  const subjects = new Map(readings.flatMap(subjectOf))
  const { resolved, cyclic } = dependencyOrder(fields)
  const answered = fields.filter(isAnswerField)
  const contactFields = answered.filter(({ type }) => hasEffect('contactField', type))
  const identifyingField = contactFields.find(identifies) ?? null
  const problems = [
    ...formProblems(definition),
    ...readings.flatMap((reading) => (reading.kind === 'unusable' ? reading.problems : [])),
    ...duplicateProblems(readings),
    ...readings.flatMap((reading, index) =>
      reading.kind === 'field' ? ruleProblems(reading.field, index, subjects) : [],
    ),
    ...cycleProblems(cyclic, readings),
    ...limitProblems(definition, identifyingField),
  ]
  if (problems.length > 0)
    return { kind: 'unsupported', reasons: sentencesOf(problems).slice(0, PROBLEMS_MAX), problems }
  const answerFields = new Map(answered.map((field) => [field.id, field]))
  const form = { definition, fields, resolved, answerFields, contactFields, identifyingField }
  return { kind: 'supported', form }
}

/** Whether a form can be submitted without its hosted page and, if not, why: sentences that name the field. */
export function headlessSupport(definition: FormDefinition): { supported: boolean; reasons: string[] } {
  const compilation = compileForm(definition)
  if (compilation.kind === 'supported') return { supported: true, reasons: [] }
  return { supported: false, reasons: [...compilation.reasons] }
}

function idOf(reading: FieldReading): string | null {
  return reading.kind === 'field' ? reading.field.id : reading.id
}

function subjectOf(reading: FieldReading): readonly (readonly [string, FormField | null])[] {
  const id = idOf(reading)
  return id === null ? [] : [[id, reading.kind === 'field' ? reading.field : null]]
}

/** The settings of a form that only its hosted page can serve. */
const hostedSettings = {
  requireEmailVerification: 'The form requires email verification.',
  posEnrollment: 'The form enrolls customers at the point of sale.',
} as const

function formProblems(definition: FormDefinition): readonly FormProblem[] {
  return keysOf(hostedSettings)
    .filter((setting) => definition[setting] === true)
    .map((setting) => ({ path: [setting], sentence: hostedSettings[setting] }))
}

function duplicateProblems(readings: readonly FieldReading[]): readonly FormProblem[] {
  const ids = readings.map(idOf)
  return repeatsIn(ids).flatMap((index) => {
    const id = ids[index] ?? null
    if (id === null) return []
    return [{ path: fieldPath(index, 'id'), sentence: `${nameOf(id)} stands in the form more than once.` }]
  })
}

/** The positions of the values that stand in a list before, too. Of a list of any length, each value is looked up once. */
function repeatsIn(values: readonly unknown[]): readonly number[] {
  const seen = new Set<unknown>()
  return values.flatMap((value, index) => {
    if (seen.has(value)) return [index]
    seen.add(value)
    return []
  })
}

function cycleProblems(
  cyclic: readonly FormField[],
  readings: readonly FieldReading[],
): readonly FormProblem[] {
  // A field that refers to itself is reported with its rule.
  const others = new Set(
    cyclic.filter(({ id, visibleWhen }) => !visibleWhen?.rules.some((rule) => rule.field === id)),
  )
  if (others.size < 2) return []
  const names = [...others].map(({ id }) => JSON.stringify(id)).join(', ')
  const sentence = `The visibility of these fields depends on each other: ${names}.`
  return readings.flatMap((reading, index) =>
    reading.kind === 'field' && others.has(reading.field)
      ? [{ path: fieldPath(index, 'visibleWhen'), sentence }]
      : [],
  )
}

/** Whether every submission has an answer to this field that can identify a contact. */
function identifies({ required, visibleWhen, contactField }: AnswerField): boolean {
  return required && visibleWhen === null && (contactField === 'email' || contactField === 'phone')
}

function limitProblems(
  definition: FormDefinition,
  identifyingField: AnswerField | null,
): readonly FormProblem[] {
  if ((definition.submissionLimitPerContact ?? null) === null || identifyingField !== null) return []
  return [
    {
      path: ['submissionLimitPerContact'],
      sentence:
        'The form limits submissions per contact, so it needs a required, always visible field mapped to email or phone.',
    },
  ]
}

/**
 * The outcome of reading a saved field: its settings, what is malformed in it, or why only the hosted form supports it.
 */
type FieldReading =
  | { readonly kind: 'field'; readonly field: FormField }
  | { readonly kind: 'unusable'; readonly id: string | null; readonly problems: readonly FormProblem[] }

/** The keys a saved field may have. */
export const fieldKeys: readonly string[] = Object.keys(FieldSettings.entries)

/**
 * Reads one entry of a definition's `fields`. Problems are complete sentences that name the field by its id, or by its
 * position when it has no usable id. Only the shape of rules is checked here; whether they fit other fields is checked
 * elsewhere.
 * @param index zero-based position of the entry
 */
export function readField(saved: unknown, index: number): FieldReading {
  const place = `Field ${index + 1}`
  if (!isJsonObject(saved)) {
    return {
      kind: 'unusable',
      id: null,
      problems: [{ path: fieldPath(index), sentence: `${place} is not an object.` }],
    }
  }
  const { id: givenId, type } = saved
  const id = v.is(FieldId, givenId) ? givenId : null
  const name = id === null ? place : nameOf(id)
  const typeProblem = hostedOnly(type)
  if (typeProblem !== null) {
    const problem = { path: fieldPath(index, 'type'), sentence: `${name} ${typeProblem}.` }
    return { kind: 'unusable', id, problems: [problem] }
  }
  const result = v.safeParse(FieldSettings, saved)
  const problems = result.success ? combinationProblems(result.output) : malformedIn(result.issues)
  if (result.success && problems.length === 0) return { kind: 'field', field: result.output }
  return {
    kind: 'unusable',
    id,
    problems: problems.map(([path, problem]) => ({
      path: fieldPath(index, ...path),
      sentence: `${name}: ${problem}.`,
    })),
  }
}

/** What is wrong with a part of a field. */
type PartProblem = readonly [path: FormPath, problem: string]

function malformedIn(issues: readonly v.BaseIssue<unknown>[]): readonly PartProblem[] {
  return issues.map(({ path = [], message }) => [
    path.map(({ key }) => (typeof key === 'number' ? key : String(key))),
    message,
  ])
}

function hostedOnly(type: unknown): string | null {
  if (typeof type !== 'string') return 'has no type'
  if (v.is(FieldSettings.entries.type, type)) return null
  const isHosted = hostedTypes.some((known) => known === type)
  return `is of type ${JSON.stringify(type)}, which ${isHosted ? 'only the hosted form can take' : 'does not exist here'}`
}

function combinationProblems(field: FormField): readonly PartProblem[] {
  return [choiceProblem(field), boundProblem(field), lengthProblem(field)].filter(
    (problem) => problem !== null,
  )
}

function choiceProblem({ type, options }: FormField): PartProblem | null {
  if (type !== 'single_choice' && type !== 'multiple_choice') return null
  if (options.length === 0) return [['options'], 'it is a choice without options']
  const [second] = repeatsIn(options.map(({ value }) => value))
  return second === undefined
    ? null
    : [['options', second, 'value'], 'two of its options have the same value']
}

function boundProblem({ type, min, max }: FormField): PartProblem | null {
  if (type !== 'number' && type !== 'date') return null
  const fits = (bound: number | string | null): boolean => {
    if (bound === null) return true
    return type === 'number' ? Number.isFinite(bound) : typeof bound === 'string' && isCalendarDate(bound)
  }
  const kind = type === 'number' ? 'a number' : 'a date (YYYY-MM-DD)'
  if (!fits(min)) return [['min'], `min must be ${kind}`]
  if (!fits(max)) return [['max'], `max must be ${kind}`]
  return min !== null && max !== null && min > max ? [['min'], 'min must not be greater than max'] : null
}

function lengthProblem({ minLength, maxLength }: FormField): PartProblem | null {
  if (minLength === null || maxLength === null || minLength <= maxLength) return null
  return [['minLength'], 'minLength must not be greater than maxLength']
}

/**
 * The problems of a field's rules. `subjects` are the form's fields by id.
 * @param index the position of the field in the form
 */
function ruleProblems(
  field: FormField,
  index: number,
  subjects: ReadonlyMap<string, FormField | null>,
): readonly FormProblem[] {
  return (field.visibleWhen?.rules ?? []).flatMap((rule, place) => {
    const problem = ruleProblem(rule, field, subjects)
    if (problem === null) return []
    const sentence = `${nameOf(field.id)}: visibleWhen ${problem}.`
    return [{ path: fieldPath(index, 'visibleWhen', 'rules', place), sentence }]
  })
}

/** @param subjects maps to null where a field exists but is itself unusable, which is reported with that field */
function ruleProblem(
  rule: Rule,
  field: FormField,
  subjects: ReadonlyMap<string, FormField | null>,
): string | null {
  const subject = subjects.get(rule.field)
  const name = JSON.stringify(rule.field)
  if (subject === undefined) return `refers to ${name}, which is not a field of this form`
  if (rule.field === field.id) return 'refers to the field itself'
  if (subject === null) return null
  if (!isAnswerField(subject)) return `refers to ${name}, which takes no answer`
  if (!subjectTakes(subject.type, rule.operator)) {
    return `uses ${rule.operator} on ${name}, which a field of type ${subject.type} does not take`
  }
  if (takesNoValue(rule.operator)) return null
  const problem = valueProblem(rule, subject)
  return problem === null ? null : `compares ${name} by ${rule.operator} ${problem}`
}

function valueProblem({ operator, value }: Rule, subject: AnswerField): string | null {
  if (value === null) return 'without a value'
  if (!takesList(operator, subject)) return fitProblem(value, subject)
  if (!Array.isArray(value)) return 'with a value that is not a list'
  if (value.length === 0) return 'with an empty list'
  return value.map((member) => fitProblem(member, subject)).find((problem) => problem !== null) ?? null
}

/** Whether the value of a rule is a list. */
export function takesList(operator: RuleOperator, subject: Pick<AnswerField, 'type'>): boolean {
  if (operator === 'any_of' || operator === 'none_of') return true
  return subject.type === 'multiple_choice' && (operator === 'equals' || operator === 'not_equals')
}

/**
 * Why one value cannot be compared with answers of the subject; null: it can. The caller passes the items of lists one
 * by one.
 */
function fitProblem(value: unknown, subject: AnswerField): string | null {
  const shown = JSON.stringify(value)
  if (subject.type === 'single_choice' || subject.type === 'multiple_choice') {
    return subject.options.some((option) => option.value === value)
      ? null
      : `with ${shown}, which is not one of its options`
  }
  if (readOperand(subject.type, value) !== null) return null
  return value === ''
    ? 'with an empty value'
    : `with ${shown}, which does not fit a field of type ${subject.type}`
}

type FieldType = AnswerType | DisplayType

const typed: readonly FieldType[] = ['short_text', 'long_text', 'email', 'phone']

const choices: readonly FieldType[] = ['single_choice', 'multiple_choice']

const bounded: readonly FieldType[] = ['number', 'date']

/** The types on which each setting has an effect, for the settings that not every type has. */
const typesBySetting = {
  options: choices,
  required: answerTypes,
  placeholder: [...typed, 'number'],
  helpText: answerTypes,
  min: bounded,
  max: bounded,
  minLength: typed,
  maxLength: typed,
  contactField: [...typed, 'single_choice'],
} satisfies Partial<Readonly<Record<keyof FormField, readonly FieldType[]>>>

/** A setting that not every type of field has. */
type LimitedSetting = keyof typeof typesBySetting

/** The settings that not every type of field has. */
export const limitedSettings = Object.keys(typesBySetting) as readonly LimitedSetting[]

/** Whether a setting has an effect on fields of a type. */
export function hasEffect(setting: LimitedSetting, type: FieldType): boolean {
  const types: readonly FieldType[] = typesBySetting[setting]
  return types.includes(type)
}

/** The name of a field in problems and reasons. */
export function nameOf(id: string): string {
  return `Field ${JSON.stringify(id)}`
}

/** The sentences of problems, each once: several parts of a form may have the same problem together. */
export function sentencesOf(problems: readonly FormProblem[]): readonly string[] {
  return [...new Set(problems.map(({ sentence }) => sentence))]
}

/** The path of a field, or of one of its settings. */
export function fieldPath(index: number, ...within: FormPath): FormPath {
  return ['fields', index, ...within]
}

/** A path as people write it, such as `fields[0].min`. */
export function pathText(path: FormPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

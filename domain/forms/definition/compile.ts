import type { FormDefinition } from '../../../ports/records/form-directory.ts'
import type { AnswerField, FormField } from './definition.ts'
import { isAnswerField } from './definition.ts'
import { dependencyOrder } from './dependency-order.ts'
import type { FieldReading } from './field-settings.ts'
import { nameOf, readField } from './field-settings.ts'
import { ruleProblems } from './rules.ts'

/** A definition that can be submitted here, prepared so that a submission need not check its shape again. */
export interface CompiledForm {
  readonly definition: FormDefinition
  /** Every field, in the order in which the form shows them. */
  readonly fields: readonly FormField[]
  /** Every field, subjects of rules before the fields that depend on them. */
  readonly resolved: readonly FormField[]
  /** The fields that take an answer, by id, in the order of the form. A Map: ids such as `constructor` are ordinary. */
  readonly answerFields: ReadonlyMap<string, AnswerField>
  /** The required, always visible field mapped to email or phone that a form with a per-contact limit must have. */
  readonly identifyingField: AnswerField | null
}

/** A compiled form, or why the definition needs the hosted form: sentences that name the field. */
export type Compilation =
  | { readonly kind: 'supported'; readonly form: CompiledForm }
  | { readonly kind: 'unsupported'; readonly reasons: readonly string[] }

/** Checks a saved definition completely and prepares it. Depends on the definition alone, so it can be cached. */
export function compileForm(definition: FormDefinition): Compilation {
  const readings = definition.fields.map(readField)
  const fields = readings.flatMap((reading) => (reading.kind === 'field' ? [reading.field] : []))
  const subjects = new Map(readings.flatMap(subjectOf))
  const { resolved, cyclic } = dependencyOrder(fields)
  const identifyingField = fields.filter(isAnswerField).find(identifies) ?? null
  const reasons = [
    ...formReasons(definition),
    ...readings.flatMap((reading) => (reading.kind === 'unusable' ? reading.problems : [])),
    ...duplicateReasons(readings),
    ...fields.flatMap((field) => ruleProblems(field, subjects)),
    ...cycleReasons(cyclic),
    ...limitReasons(definition, identifyingField),
  ]
  if (reasons.length > 0) return { kind: 'unsupported', reasons }
  const answerFields = new Map(fields.filter(isAnswerField).map((field) => [field.id, field]))
  return { kind: 'supported', form: { definition, fields, resolved, answerFields, identifyingField } }
}

function idOf(reading: FieldReading): string | null {
  return reading.kind === 'field' ? reading.field.id : reading.id
}

function subjectOf(reading: FieldReading): readonly (readonly [string, FormField | null])[] {
  const id = idOf(reading)
  return id === null ? [] : [[id, reading.kind === 'field' ? reading.field : null]]
}

function formReasons(definition: FormDefinition): readonly string[] {
  return [
    ...(definition.requireEmailVerification === true ? ['The form requires email verification.'] : []),
    ...(definition.posEnrollment === true ? ['The form enrolls customers at the point of sale.'] : []),
  ]
}

function duplicateReasons(readings: readonly FieldReading[]): readonly string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const id of readings.map(idOf)) {
    if (id === null) continue
    if (seen.has(id)) repeated.add(id)
    seen.add(id)
  }
  return [...repeated].map((id) => `${nameOf(id)} stands in the form more than once.`)
}

function cycleReasons(cyclic: readonly FormField[]): readonly string[] {
  // A field that refers to itself is reported with its rule.
  const others = cyclic.filter(({ id, visibleWhen }) => !visibleWhen?.rules.some((rule) => rule.field === id))
  if (others.length < 2) return []
  return [
    `The visibility of these fields depends on each other: ${others.map(({ id }) => JSON.stringify(id)).join(', ')}.`,
  ]
}

/** Whether every submission has an answer to this field that can identify a contact. */
function identifies(field: AnswerField): boolean {
  if (!field.required || field.visibleWhen !== null) return false
  return (field.contactField === 'email' || field.contactField === 'phone') && takesText(field)
}

/** Whether a visitor types the answers of a field, so that they may be of any length. */
export function isTyped({ type }: FormField): boolean {
  return ['short_text', 'long_text', 'email', 'phone'].includes(type)
}

/** Whether the answers of a field are text, so that a contact attribute can be read from them. */
export function takesText(field: FormField): boolean {
  return isTyped(field) || field.type === 'single_choice'
}

function limitReasons(definition: FormDefinition, identifyingField: AnswerField | null): readonly string[] {
  if ((definition.submissionLimitPerContact ?? null) === null || identifyingField !== null) return []
  return [
    'The form limits submissions per contact, so it needs a required, always visible field mapped to email or phone.',
  ]
}

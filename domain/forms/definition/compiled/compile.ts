import type { FormDefinition } from '../../../../ports/records.ts'
import { isAnswerField, type AnswerField, type FormField } from '../definition.ts'
import { takesText } from '../applicable.ts'
import { dependencyOrder } from '../rules/dependency-order.ts'
import { nameOf, readField, type FieldReading } from '../field-settings.ts'
import { fieldPath, sentencesOf, type FormProblem } from '../problem.ts'
import { repeatsIn } from '../repeats.ts'
import { ruleProblems } from '../rules/rules.ts'

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
  | {
      readonly kind: 'unsupported'
      readonly reasons: readonly string[]
      /** The same with their places. */
      readonly problems: readonly FormProblem[]
    }

/** Checks a saved definition completely and prepares it. Depends on the definition alone, so it can be cached. */
export function compileForm(definition: FormDefinition): Compilation {
  const readings = definition.fields.map(readField)
  const fields = readings.flatMap((reading) => (reading.kind === 'field' ? [reading.field] : []))
  const subjects = new Map(readings.flatMap(subjectOf))
  const { resolved, cyclic } = dependencyOrder(fields)
  const identifyingField = fields.filter(isAnswerField).find(identifies) ?? null
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
  if (problems.length > 0) return { kind: 'unsupported', reasons: sentencesOf(problems), problems }
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

function formProblems(definition: FormDefinition): readonly FormProblem[] {
  const verification = definition.requireEmailVerification === true
  const enrollment = definition.posEnrollment === true
  return [
    ...(verification
      ? [{ path: ['requireEmailVerification'], sentence: 'The form requires email verification.' }]
      : []),
    ...(enrollment
      ? [{ path: ['posEnrollment'], sentence: 'The form enrolls customers at the point of sale.' }]
      : []),
  ]
}

function duplicateProblems(readings: readonly FieldReading[]): readonly FormProblem[] {
  const ids = readings.map(idOf)
  return repeatsIn(ids).flatMap((index) => {
    const id = ids[index] ?? null
    if (id === null) return []
    return [{ path: fieldPath(index, 'id'), sentence: `${nameOf(id)} stands in the form more than once.` }]
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
function identifies(field: AnswerField): boolean {
  if (!field.required || field.visibleWhen !== null) return false
  return (field.contactField === 'email' || field.contactField === 'phone') && takesText(field)
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

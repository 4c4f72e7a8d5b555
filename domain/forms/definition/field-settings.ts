import * as v from 'valibot'
import { isCalendarDate } from '../../text/instant.ts'
import { isJsonObject } from '../../text/json.ts'
import type { FormField } from './definition.ts'
import { FieldId, FieldSettings } from './field-schema.ts'
import { fieldPath, type FormPath, type FormProblem } from './problem.ts'
import { repeatsIn } from './repeats.ts'

/**
 * The outcome of reading a saved field: its settings, what is malformed in it, or why only the hosted form supports it.
 */
export type FieldReading =
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

/** The name of a field in problems and reasons. */
export function nameOf(id: string): string {
  return `Field ${JSON.stringify(id)}`
}

function hostedOnly(type: unknown): string | null {
  if (typeof type !== 'string') return 'has no type'
  if (v.is(FieldSettings.entries.type, type)) return null
  return `is of type ${JSON.stringify(type)}, which only the hosted form can take`
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

import type { FormDefinition } from '../../../ports/records.ts'
import { echoed } from '../../limits/echo.ts'
import { listOf, isJsonObject } from '../../text/json.ts'
import { ended } from '../../text/schema-errors.ts'
import { abuseWarnings, placedWarnings } from './support.ts'
import {
  compileForm,
  pathText,
  fieldKeys,
  fieldPath,
  type CompiledForm,
  type FormProblem,
  type FormPath,
} from './compile.ts'
import {
  formLineKeys,
  isFormLineKey,
  readFormLine,
  FormLineInput,
  type FormLineReading,
  type FormLineKey,
} from './check.ts'
import { suggestion } from '../../text/nearest-word.ts'
import * as v from 'valibot'
import type { FormField } from './definition.ts'
import { FieldSettings } from './field-schema.ts'

/** What the service thinks of a part of a form that is being written. */
export interface Finding extends FormProblem {
  /** `refused`: it cannot be saved. `hosted`: it cannot be published here. `warning`: probably not what was meant. */
  readonly kind: 'refused' | 'hosted' | 'warning'
}

/** What there is to say about a form that is being written. */
interface FormReview {
  readonly findings: readonly Finding[]
  /** The form, when it can be submitted here. */
  readonly form: CompiledForm | null
}

/** Looks through a form as the service does when it is saved and published, except for what else is stored. */
export function reviewForm(given: GivenForm): FormReview {
  const reading = readGivenForm(given)
  const issues = 'issues' in reading ? reading.issues : []
  const refused = [
    ...issues.map(({ field, message }) => ({ path: pathIn(field), message })),
    ...unknownKeysOf(given),
  ].map(({ path, message }) => ({ path, sentence: `${echoed(pathText(path))} ${ended(message)}` }))
  const refusedPlaces = new Set(refused.map(({ path }) => pathText(path)))
  // What is refused must not hide what is wrong with the fields.
  const definition = { ...given, fields: listOf(given.fields) } as unknown as FormDefinition
  const compilation = compileForm(definition)
  const password = typeof given.password === 'string' ? given.password : null
  const weak = abuseWarnings(definition, { password, messages: [] })
  return {
    findings: [
      ...ofKind('refused', refused),
      ...ofKind('hosted', compilation.kind === 'unsupported' ? compilation.problems : []),
      ...ofKind('warning', [
        ...placedWarnings(definition).filter(({ path }) => !refusedPlaces.has(pathText(path))),
        ...weak.map((sentence) => ({ path: ['password'], sentence })),
      ]),
    ],
    form: compilation.kind === 'supported' && issues.length === 0 ? compilation.form : null,
  }
}

function ofKind(kind: Finding['kind'], problems: readonly FormProblem[]): readonly Finding[] {
  return problems.map((problem) => ({ ...problem, kind }))
}

/** The path that a line's issue names: keys and positions joined by dots. No key of a form has a dot in it. */
function pathIn(field: string): FormProblem['path'] {
  return field.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
}

/** A form as an operator gives it. */
export type GivenForm = Readonly<Record<string, unknown>>

/** A key that a form, or one of its fields, cannot have. */
interface UnknownKey {
  readonly path: FormPath
  /** The rest of a sentence that begins with the key. */
  readonly message: string
}

/** Reads a form, which may leave out more than a line of an import. Keys that no form has are not looked at. */
export function readGivenForm(form: GivenForm): FormLineReading {
  return readFormLine({ isPublished: false, notificationEmails: [], ...knownOf(form) })
}

/** The form without keys that are not those of a form: they have problems of their own. */
function knownOf(form: GivenForm): GivenForm {
  return Object.fromEntries(Object.entries(form).filter(([key]) => isFormLineKey(key)))
}

/** The keys that a form, or one of its fields, cannot have. */
export function unknownKeysOf(form: GivenForm): readonly UnknownKey[] {
  const unknown = (value: object, known: readonly string[], around: FormPath) =>
    Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => ({
        path: [...around, key],
        message: `is not a known key.${suggestion(key, known)}`,
      }))
  return [
    ...unknown(form, formLineKeys, []),
    ...listOf(form.fields).flatMap((field, index) =>
      isJsonObject(field) ? unknown(field, fieldKeys, fieldPath(index)) : [],
    ),
  ]
}

/** A setting of the language of forms, as its declaration has it. */
export interface DeclaredSetting {
  readonly label: string
  readonly meaning: string
  /** What it is; `bound`: a number or a date, as the field's answers are. */
  readonly kind: 'truth' | 'text' | 'number' | 'bound' | 'choice' | 'list' | 'object'
  /** The words that a choice is between. */
  readonly choices: readonly string[]
  /** Whether there is no form or field without it. */
  readonly isNeeded: boolean
}

/** A setting of a form. */
export function formSetting(key: FormLineKey): DeclaredSetting {
  return declared(key, FormLineInput.entries[key])
}

/** A setting of a field. */
export function fieldSetting(key: keyof FormField): DeclaredSetting {
  return declared(key, FieldSettings.entries[key])
}

const kinds: Readonly<Record<string, DeclaredSetting['kind']>> = {
  boolean: 'truth',
  string: 'text',
  number: 'number',
  union: 'bound',
  picklist: 'choice',
  array: 'list',
}

interface Parts {
  readonly type: string
  readonly wrapped?: Parts
  readonly options?: readonly unknown[]
}

function declared(key: string, schema: v.GenericSchema): DeclaredSetting {
  const outer: Parts = schema
  let value = outer
  while (value.wrapped !== undefined) value = value.wrapped
  return {
    label: titleOf(key),
    meaning: v.getDescription(schema) ?? '',
    kind: kinds[value.type] ?? 'object',
    choices: value.type === 'picklist' ? (value.options ?? []).map(String) : [],
    isNeeded: outer.wrapped === undefined,
  }
}

/** A word of the language of forms as a title: `short_text` is “Short text”, `helpText` is “Help text”. */
export function titleOf(word: string): string {
  const words = word
    .replaceAll(/[_\s]+|(?<=[a-z])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

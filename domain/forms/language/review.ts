import type { FormDefinition } from '../../../ports/records.ts'
import { echoed } from '../../limits/limits.ts'
import { listOf, isJsonObject, membersOf } from '../../text/encoding.ts'
import { ended, unknownWord } from '../../text/schema-errors.ts'
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
import type { Words } from '../../record/meaning.ts'
import { suggestion, titleOf } from '../../text/words.ts'
import * as v from 'valibot'
import { answerTypes, displayTypes, hostedTypes, ruleOperators, type FormField } from './definition.ts'
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

/**
 * Looks through a form as the service does when it is saved and published, except for what else is stored.
 * @param stored the form that it replaces; null: none
 */
export function reviewForm(given: GivenForm, stored: GivenForm | null = null): FormReview {
  const reading = readGivenForm(given)
  const issues = 'issues' in reading ? reading.issues : []
  const refused = [
    ...issues.map(({ field, message }) => ({ path: pathIn(field), message })),
    ...unknownKeysOf(given),
    ...unknownWordsOf(given, stored),
  ].map(({ path, message }) => ({ path, sentence: `${echoed(pathText(path))} ${ended(message)}` }))
  const refusedPlaces = new Set(refused.map(({ path }) => pathText(path)))
  const isNotRefused = ({ path }: FormProblem): boolean => !refusedPlaces.has(pathText(path))
  // What is refused must not hide what is wrong with the fields.
  const definition = { ...given, fields: listOf(given.fields) } as unknown as FormDefinition
  const compilation = compileForm(definition)
  const password = typeof given.password === 'string' ? given.password : null
  const weak = abuseWarnings(definition, { password, messages: [] })
  return {
    findings: [
      ...ofKind('refused', refused),
      ...ofKind(
        'hosted',
        compilation.kind === 'unsupported' ? compilation.problems.filter(isNotRefused) : [],
      ),
      ...ofKind('warning', [
        ...placedWarnings(definition).filter(isNotRefused),
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

/** A key or a word that no form, or no field, can have. */
interface Unknown {
  readonly path: FormPath
  /** The rest of a sentence that begins with the path. */
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

/** The key by which editors find the schema of a file. It says nothing of the form, so it is not kept. */
export const SCHEMA_KEY = '$schema'

/** The keys that a form, or one of its fields, cannot have. */
export function unknownKeysOf(form: GivenForm): readonly Unknown[] {
  const unknown = (value: object, known: readonly string[], around: FormPath) =>
    Object.keys(value)
      .filter((key) => !known.includes(key) && !(around.length === 0 && key === SCHEMA_KEY))
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

interface WithFields {
  readonly fields?: unknown
}

/**
 * The types of fields and the operators of rules that do not exist. An import takes any, so those that the stored form
 * has already may stay.
 * @param stored the form that this one replaces; null: none
 */
export function unknownWordsOf(form: GivenForm, stored: WithFields | null): readonly Unknown[] {
  const kept = new Set(stored === null ? [] : wordsIn(stored).map(({ word }) => word))
  return wordsIn(form)
    .filter(({ word, known }) => !kept.has(word) && !known.some((one) => one === word))
    .map(({ path, word, what, known }) => ({
      path,
      message: `is ${echoed(JSON.stringify(word))}, which is no ${what}. ${unknownWord(typeof word === 'string' ? word : '', known)}`,
    }))
}

/** The types and operators in a form, wherever there is one, with those that there are. */
function wordsIn({ fields }: WithFields) {
  return listOf(fields).flatMap((field, index) => {
    const { type, visibleWhen } = membersOf(field)
    const operators = listOf(membersOf(visibleWhen).rules).map((rule, place) => ({
      path: fieldPath(index, 'visibleWhen', 'rules', place, 'operator'),
      word: membersOf(rule).operator,
      ...{ what: 'operator', known: ruleOperators },
    }))
    const typed = { path: fieldPath(index, 'type'), word: type, what: 'type of field', known: fieldTypes }
    return [typed, ...operators].filter(({ word }) => (word ?? null) !== null)
  })
}

const fieldTypes: readonly string[] = [...answerTypes, ...displayTypes, ...hostedTypes]

/** A setting of the language of forms, as its declaration has it. */
export interface DeclaredSetting {
  readonly label: string
  readonly meaning: string
  /** What it is; `bound`: a number or a date, as the field's answers are. */
  readonly kind: 'truth' | 'text' | 'number' | 'bound' | 'choice' | 'list' | 'object'
  /** What a choice is between, in the order in which it is offered. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  /** What a choice is when nothing is stored; null: none of its words. */
  readonly initial: string | null
  /** What is said of a choice of which nothing is stored, where that is none of its words. */
  readonly none: string
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
  const { label, hint, none, initial, choices }: Words = v.getMetadata(schema).words ?? {}
  const listed = value.type === 'picklist' ? (value.options ?? []).map(String) : []
  const offered = choices === undefined ? listed : Object.keys(choices)
  return {
    label: label ?? titleOf(key),
    meaning: hint ?? v.getDescription(schema) ?? '',
    kind: kinds[value.type] ?? 'object',
    choices: offered.map((word) => ({ value: word, label: choices?.[word] ?? titleOf(word) })),
    initial: initial ?? null,
    none: none ?? 'None',
    isNeeded: outer.wrapped === undefined,
  }
}

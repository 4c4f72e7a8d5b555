import { InstantInput } from '../../record/field.ts'
import { described, worded, type Words } from '../../record/meaning.ts'
import { judge, unknownWord, countedList, type Problem, ended, suggestion } from '../../text/schema-errors.ts'
import type { ImportIssue } from '../../record/resource.ts'
import { readEmailAddress } from '../../text/typed-text.ts'
import type { FormDefinition } from '../../../ports/records.ts'
import {
  FORM_ID,
  FORM_ID_MAX_LENGTH,
  NOTIFICATION_EMAILS_MAX,
  PASSWORD_MAX_LENGTH,
  languages,
  answerTypes,
  displayTypes,
  hostedTypes,
  ruleOperators,
  type FormField,
} from './definition.ts'
import { sentences } from './words/en.ts'
import { keysOf, listOf, isJsonObject, membersOf } from '../../text/encoding.ts'
import { parseUrl } from '../../text/http.ts'
import { echoed } from '../../limits/limits.ts'
import { abuseWarnings, placedWarnings } from './warnings.ts'
import {
  compileForm,
  pathText,
  fieldKeys,
  fieldPath,
  type CompiledForm,
  type FormProblem,
  type FormPath,
} from './compile.ts'
import { titleOf } from '../../text/words.ts'
import { FieldSettings } from './field-schema.ts'
import * as v from 'valibot'

/** A form as it is imported. */
export interface FormLine {
  /** The definition to save: without the password, and without optional settings that are null. */
  readonly definition: FormDefinition
  /** In clear text; null: the form needs none. */
  readonly password: string | null
  /** UTC instants; null when not given. */
  readonly createdAt: string | null
  readonly publishedAt: string | null
}

export type FormLineReading = { readonly form: FormLine } | { readonly issues: readonly ImportIssue[] }

const reservedFormId = 'submissions'

const optional = <Value>(schema: v.GenericSchema<unknown, Value>) => v.nullish(schema, null)
const text = v.string('must be a string')
const flag = v.boolean('must be true or false')
const limitMessage = 'must be a whole number of at least 1'
const tooManyEmails = `must be at most ${NOTIFICATION_EMAILS_MAX} addresses: each submission sends an email to all of them`
const emailMessage = 'must be an email address'
/** The pattern is what JSON Schema can say of it. */
const notificationEmail = v.pipe(
  text,
  v.regex(/^[^@]+@[^@]+$/, emailMessage),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const address = readEmailAddress(dataset.value)
    if (address !== null) return address
    addIssue({ message: emailMessage })
    return NEVER
  }),
)
const passwordMessage = `must have from 1 to ${PASSWORD_MAX_LENGTH} characters`

const TEXT_MAX_LENGTH = 1_000
const ownSentenceMessage = `must be a text of at most ${TEXT_MAX_LENGTH} characters`
const ownSentence = v.optional(
  v.pipe(v.string(ownSentenceMessage), v.maxLength(TEXT_MAX_LENGTH, ownSentenceMessage)),
)

/** Sentences of a form's own, by the keys of those of the service. */
const ownSentences = noList(
  v.strictObject(
    Object.fromEntries(keysOf(sentences).map((key) => [key, ownSentence])),
    'must be an object of texts',
  ),
)

/** The same schema of objects, which takes no list for one, as valibot's own does. */
function noList<Schema extends v.GenericSchema>(schema: Schema): Schema {
  const run: Schema['~run'] = (dataset, config) =>
    schema['~run'](Array.isArray(dataset.value) ? { ...dataset, value: null } : dataset, config)
  return { ...schema, '~run': run }
}

/** The schema of a line of a forms import. */
export const FormLineInput = v.object({
  formId: described(
    v.pipe(
      v.string('must be a string'),
      v.regex(FORM_ID, `must be 1 to ${FORM_ID_MAX_LENGTH} letters, digits, "_" or "-"`),
      v.notValue(reservedFormId, `must not be the reserved word "${reservedFormId}"`),
    ),
    'Names the form in the whole service, and in its address.',
  ),
  name: described(v.pipe(text, v.nonEmpty('must not be empty')), 'What people call the form.'),
  isPublished: described(flag, 'Whether it takes submissions.'),
  password: described(
    optional(v.pipe(text, v.nonEmpty(passwordMessage), v.maxLength(PASSWORD_MAX_LENGTH, passwordMessage))),
    'What a visitor must know to submit it. It is never shown again.',
  ),
  requireEmailVerification: described(optional(flag), 'Only a hosted page can do it.'),
  posEnrollment: described(optional(flag), 'Only a hosted page can do it.'),
  submissionLimitPerContact: described(
    optional(v.pipe(v.number(limitMessage), v.safeInteger(limitMessage), v.minValue(1, limitMessage))),
    'How often one contact may submit it.',
  ),
  successTitle: described(optional(text), 'The title of what a visitor sees after a submission.'),
  successMessage: described(optional(text), 'The text of what a visitor sees after a submission.'),
  publicUrl: worded(
    described(
      optional(v.pipe(text, v.check(isWebUrl, 'must be an absolute http or https URL'))),
      'Where people find the form, for pages of your own.',
    ),
    { label: 'Address of the page', hint: 'Where people find the form, when it is on a page of your own.' },
  ),
  language: worded(
    described(
      optional(v.picklist(languages, `must be one of ${languages.join(', ')}`)),
      'The language in which the service speaks to a visitor; left out: English.',
    ),
    {
      hint: 'In which the form speaks to visitors, and its emails to you: all but what you write yourself.',
      choices: { en: 'English', de: 'German', es: 'Spanish', fr: 'French' },
      initial: 'en',
    },
  ),
  texts: described(
    optional(ownSentences),
    'Sentences of your own in place of those of the service, by their keys.',
  ),
  extraAnswers: worded(
    described(
      optional(v.picklist(['refuse', 'keep'], 'must be one of refuse, keep')),
      'What becomes of values that a page posts to the form’s address in /f/ and that it does not ask for; left out: they are refused.',
    ),
    {
      hint: 'What becomes of what a page of yours sends to the form’s address in /f/ and the form does not ask for.',
      choices: { refuse: 'They are refused (usual)', keep: 'They are kept and shown' },
      initial: 'refuse',
    },
  ),
  spamFilter: worded(
    described(
      optional(v.picklist(['on', 'off'], 'must be one of on, off')),
      'Whether spam is told apart from what people send; left out: on.',
    ),
    {
      hint: 'Whether spam is told apart from what people send.',
      choices: { on: 'On (usual)', off: 'Off' },
      initial: 'on',
    },
  ),
  notificationEmails: described(
    countedList(
      v.pipe(
        v.array(notificationEmail, 'must be a list of email addresses'),
        v.maxLength(NOTIFICATION_EMAILS_MAX, tooManyEmails),
      ),
      NOTIFICATION_EMAILS_MAX,
      tooManyEmails,
    ),
    `Who gets an email for each submission, at most ${NOTIFICATION_EMAILS_MAX}.`,
  ),
  fields: described(
    v.array(v.unknown(), 'must be a list of fields'),
    'In the order in which they are shown.',
  ),
  createdAt: described(optional(InstantInput), 'When it was made.'),
  publishedAt: described(optional(InstantInput), 'When it was published first.'),
})

/** The keys that a line of a forms import may have. */
export const formLineKeys = keysOf(FormLineInput.entries)

export type FormLineKey = (typeof formLineKeys)[number]

/** Whether a line of a forms import may have this key. */
export function isFormLineKey(key: string): key is FormLineKey {
  return Object.hasOwn(FormLineInput.entries, key)
}

/** What is wrong with a key of a line that is not a key of a form. */
export function notAFormKey(key: string): string {
  return `is not a key of a form. ${unknownWord(key, formLineKeys)}`
}

/**
 * Reads one line of a forms import. Only the form-level keys are checked: a form whose fields cannot be submitted
 * here is still a form (`headlessSupport` says why). A null optional setting counts as omitted.
 */
export function readFormLine(line: Readonly<Record<string, unknown>>): FormLineReading {
  const unknown = Object.keys(line).filter((key) => !isFormLineKey(key))
  const judgement = judge(FormLineInput, line)
  const issues = [
    ...('problems' in judgement ? judgement.problems.map(issueOf) : []),
    ...unknown.map((field) => ({ field, message: notAFormKey(field) })),
  ]
  if ('problems' in judgement || issues.length > 0) return { issues }
  const { password, createdAt, publishedAt, ...definition } = judgement.value
  const settings = Object.entries(definition).filter(([, value]) => value !== null)
  return {
    form: {
      // The checked settings without those that are null. Every setting that can be null is optional in a definition.
      definition: Object.fromEntries(settings) as unknown as FormDefinition,
      password,
      createdAt,
      publishedAt,
    },
  }
}

function issueOf({ path, message }: Problem): ImportIssue {
  return { field: path, message }
}

/** Pages link to this address, so a `javascript:` URL must be refused. */
function isWebUrl(url: string): boolean {
  return ['http:', 'https:'].includes(parseUrl(url)?.protocol ?? '')
}

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

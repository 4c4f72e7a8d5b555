import * as v from 'valibot'
import { InstantInput } from '../../record/field.ts'
import { described, worded } from '../../record/meaning.ts'
import { judge, unknownWord, countedList, type Problem } from '../../text/schema-errors.ts'
import type { ImportIssue } from '../../record/resource.ts'
import { readEmailAddress } from '../../text/typed-text.ts'
import type { FormDefinition } from '../../../ports/records.ts'
import {
  FORM_ID,
  FORM_ID_MAX_LENGTH,
  NOTIFICATION_EMAILS_MAX,
  PASSWORD_MAX_LENGTH,
  languages,
} from './definition.ts'
import { sentences } from './words/en.ts'
import { keysOf } from '../../text/encoding.ts'
import { parseUrl } from '../../text/http.ts'

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

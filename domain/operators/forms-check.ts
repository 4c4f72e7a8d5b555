import * as v from 'valibot'
import { countedList } from '../text/schema-errors.ts'
import { OWNER_FIELD } from '../imports/file/header.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { jsonReply, PRIVATE } from '../record/reply.ts'
import { pathText, sentencesOf, headlessSupport } from '../forms/language/compile.ts'
import { echoed, PROBLEMS_MAX } from '../limits/limits.ts'
import { contactMessages, type ContactMessage } from '../resources/automations.ts'
import { reviewForm, readGivenForm, unknownKeysOf } from '../forms/language/check.ts'
import { jsonBody, notThere, operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { abuseWarnings, placedWarnings } from '../forms/language/warnings.ts'
import type { ImportIssue } from '../record/resource.ts'

/** The maximum number of forms, and the maximum size, of one request. A longer file is checked in several requests. */
export const FORMS_MAX = 100

export const FORMS_MAX_BYTES = 1_048_576

const TOO_MANY = `must be at most ${FORMS_MAX} forms`

const Request = v.strictObject({
  forms: described(
    countedList(
      v.pipe(
        v.array(v.record(v.string(), v.unknown(), 'must be an object'), 'must be an array'),
        v.maxLength(FORMS_MAX, TOO_MANY),
      ),
      FORMS_MAX,
      TOO_MANY,
    ),
    'Forms, as they are saved or imported.',
  ),
  organizationId: v.exactOptional(
    described(
      v.string('must be a string'),
      'Whose stored automations are looked at too: a form without a limit per contact that starts an email or text message to the contact is warned of.',
    ),
  ),
})

const sentences = v.array(v.string())

const Verdict = v.strictObject({
  formId: described(v.nullable(v.string()), 'The form; null: it is no form, and `problems` says why.'),
  supported: described(v.boolean(), 'Whether it can be submitted here. If not, it must be hosted.'),
  reasons: described(sentences, 'Why it must be hosted.'),
  warnings: described(sentences, 'What its owner may not have meant.'),
  problems: described(
    v.array(
      v.strictObject({
        field: described(v.string(), 'The key of the form.'),
        message: described(v.string(), 'The rest of a sentence that begins with the key.'),
      }),
    ),
    'Why it would be refused.',
  ),
  findings: described(
    v.array(
      v.strictObject({
        kind: described(
          v.picklist(['refused', 'hosted', 'warning']),
          'Whether the form cannot be saved, cannot be submitted here, or may not be meant so.',
        ),
        place: described(v.string(), 'The part of the form, such as `fields[0].min`.'),
        sentence: described(v.string(), 'What there is to say, naming the field.'),
      }),
    ),
    'What there is to say about its parts when it is saved, at most fifty of them. An import takes unknown keys of fields, and any type and operator.',
  ),
})

const Verdicts = component(
  'FormVerdicts',
  described(
    v.strictObject({ data: described(v.array(Verdict), 'One for each form, in their order.') }),
    'What the service thinks of forms.',
  ),
)

export const checkForms = operated({
  id: 'forms.check',
  method: 'POST',
  path: '/operator/v1/forms/check',
  access: 'support',
  openTo: 'member',
  tag: 'Form definitions',
  summary: 'Say of forms whether they can be submitted here',
  description: 'Nothing is stored.',
  body: jsonBody(
    Request,
    {
      forms: [{ formId: 'contact', name: 'Contact', isPublished: true, notificationEmails: [], fields: [] }],
    },
    FORMS_MAX_BYTES,
  ),
  responses: {
    200: jsonResponse('The verdicts.', Verdicts, {
      data: [{ formId: 'contact', supported: true, reasons: [], warnings: [], problems: [], findings: [] }],
    }),
    404: 'NotFound',
  },
  answer: async ({ body: { forms, organizationId } }, world, { organizations }) => {
    if (organizationId !== undefined) {
      // The body names the organization, so nobody has looked yet whether it is one of this person's.
      const isOpen = organizations === null || organizations.includes(organizationId)
      if (!isOpen || (await world.administration.findOrganization(organizationId)) === null)
        return notThere(organizationId)
    }
    const messages = organizationId === undefined ? NONE : await messagesByForm(organizationId, forms, world)
    const verdicts = await Promise.all(
      forms.map(withoutOwner).map(async (line) => ({
        ...published(await checkForm(line, (formId) => [...(messages.get(formId) ?? [])])),
        findings: findingsIn(line),
      })),
    )
    return jsonReply(200, { data: verdicts }, PRIVATE)
  },
})

/** The line without its owner, which the body names. A line may repeat it, as in an import. */
function withoutOwner(line: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== OWNER_FIELD))
}

type MessagesByForm = ReadonlyMap<unknown, ReadonlySet<ContactMessage>>

const NONE: MessagesByForm = new Map()

/** What the stored active automations of forms send to the contact. */
async function messagesByForm(
  organizationId: string,
  forms: readonly Readonly<Record<string, unknown>>[],
  { tenant }: OperatorWorld,
): Promise<MessagesByForm> {
  const formIds = forms.flatMap(({ formId }) => (typeof formId === 'string' ? [formId] : []))
  const select = ['triggerFormId', 'status', 'steps']
  const found = await tenant(organizationId).findMany('automations', select, formIds, 'triggerFormId')
  const active = Map.groupBy(
    found.filter(({ status }) => status === 'active'),
    ({ triggerFormId }) => triggerFormId,
  )
  return new Map(
    [...active].map(([formId, ofForm]) => [
      formId,
      new Set(ofForm.flatMap(({ steps }) => contactMessages(steps)).sort()),
    ]),
  )
}

function findingsIn(line: Readonly<Record<string, unknown>>): v.InferOutput<typeof Verdict>['findings'] {
  return reviewForm(line)
    .findings.slice(0, PROBLEMS_MAX)
    .map(({ kind, path, sentence }) => ({ kind, place: echoed(pathText(path)), sentence }))
}

function published(verdict: FormVerdict): Omit<v.InferOutput<typeof Verdict>, 'findings'> {
  if (verdict.kind === 'no_form') {
    const problems = verdict.issues
      .slice(0, PROBLEMS_MAX)
      .map(({ field, message }) => ({ field: echoed(field), message }))
    return { formId: null, supported: false, reasons: [], warnings: [], problems }
  }
  const { formId, supported, reasons, warnings } = verdict
  return { formId, supported, reasons: [...reasons], warnings: [...warnings], problems: [] }
}

/** The result of checking a form. */
type FormVerdict =
  /** It is no form: neither saved nor imported. */
  | { readonly kind: 'no_form'; readonly issues: readonly ImportIssue[] }
  | {
      readonly kind: 'form'
      readonly formId: string
      /** Whether the form can be submitted here. If not, it must be hosted. */
      readonly supported: boolean
      /** Why it must be hosted, as sentences. */
      readonly reasons: readonly string[]
      /** Settings that its owner probably did not intend, as sentences. */
      readonly warnings: readonly string[]
    }

/**
 * Checks a form that is to be saved or imported, without its owner. A key that no field has is no problem: an import
 * takes it, and the findings say that saving does not.
 * @param messagesOf what automations send to the contact after a submission of a form
 */
async function checkForm(
  line: Readonly<Record<string, unknown>>,
  messagesOf: (formId: string) => readonly string[],
): Promise<FormVerdict> {
  const reading = readGivenForm(line)
  const issues = [
    ...('issues' in reading ? reading.issues : []),
    ...unknownKeysOf(line).flatMap(({ path: [key, ...within], message }) =>
      within.length === 0 ? [{ field: String(key), message }] : [],
    ),
  ]
  if (issues.length > 0 || 'issues' in reading) return { kind: 'no_form', issues }
  const { definition, password } = reading.form
  const { formId } = definition
  const use = { password, messages: messagesOf(formId) }
  const refused = new Set(unknownKeysOf(line).map(({ path }) => pathText(path)))
  const doubtful = placedWarnings(definition).filter(({ path }) => !refused.has(pathText(path)))
  const warnings = [...sentencesOf(doubtful), ...abuseWarnings(definition, use)]
  return { kind: 'form', formId, ...headlessSupport(definition), warnings: warnings.slice(0, PROBLEMS_MAX) }
}

import * as v from 'valibot'
import type { Predicate, StoredRow } from '../../ports/records.ts'
import type { SendRecord } from '../../ports/messaging.ts'
import { echoed } from '../limits/echo.ts'
import { ofOrganization, sets, text } from '../record/command.ts'
import { component, described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { answeredFields, submissionsSheet } from '../forms/submissions-sheet.ts'
import { answersAsTyped } from '../forms/language/answers.ts'
import { publicAnswers } from '../resources/answers.ts'
import { automationRuns } from '../resources/automations.ts'
import { contacts } from '../resources/contacts.ts'
import { formSubmissions } from '../resources/form-submissions.ts'
import { forms } from '../resources/forms.ts'
import { shownJson } from '../text/terminal.ts'
import {
  optionalText,
  pageOf,
  pageParameters,
  samplePagination,
  servePlacesPage,
  readStoredPage,
} from './list.ts'
import { operated } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { instant } from './schema.ts'
import { showOrganizationForm, type ShownForm } from './forms.ts'
import { unknownForm } from './save-forms.ts'
import { Entry } from './outbox.ts'
import { publishedSend, Send } from './sends.ts'

const Contact = v.strictObject({
  contactId: v.string(),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  email: v.nullable(v.string()),
  phone: v.nullable(v.string()),
})

type Contact = v.InferOutput<typeof Contact>

const answers = v.record(v.string(), v.unknown())

const Submission = v.strictObject({
  submissionId: described(v.string(), 'Names the submission, also in the emails that follow it.'),
  formId: v.string(),
  formName: v.nullable(v.string()),
  submittedAt: instant,
  source: described(v.picklist(['headless', 'hosted']), 'Where the form was filled in.'),
  contact: described(v.nullable(Contact), 'Whom it belongs to, as stored now; null: nobody.'),
  answers: described(
    answers,
    'By field, for people: a phone number is as the visitor typed it, of which the public API has the last ten digits. Answers to fields whose id reads as a secret are left out.',
  ),
  attribution: described(answers, 'Where the visitor came from.'),
})

type Submission = v.InferOutput<typeof Submission>

const Run = v.strictObject({
  runId: v.string(),
  automationId: v.string(),
  status: v.string(),
  currentStep: v.number(),
  stepCount: v.number(),
  failureReason: v.nullable(v.string()),
  startedAt: instant,
  completedAt: v.nullable(instant),
})

type Run = v.InferOutput<typeof Run>

const ShownSubmission = component(
  'SubmissionWithFollowUp',
  described(
    v.strictObject({
      ...Submission.entries,
      runs: described(v.array(Run), 'The runs of automations that it triggered.'),
      messages: described(
        v.array(Send),
        'What was sent because of it: notifications, and messages of its runs. The oldest first.',
      ),
      waiting: described(v.array(Entry), 'What is still to be done, or has failed.'),
    }),
    'A submission, and what followed it.',
  ),
)

const sample: Submission = {
  submissionId: 'sub_2Zk8QwVt7LhXn4RmPq9sBc',
  formId: 'contact',
  formName: 'Contact',
  submittedAt: '2026-05-19T17:45:12.000Z',
  source: 'headless',
  contact: { contactId: 'con-1', firstName: 'Ada', lastName: null, email: 'ada@example.com', phone: null },
  answers: { name: 'Ada', message: 'Are you open on Sunday?' },
  attribution: {},
}

const PATH = '/operator/v1/organizations/{organizationId}/submissions'

const common = { method: 'GET', access: 'support', tag: 'Form definitions' } as const

/** How many characters of a submission's answers a line shows. */
const SHOWN_CHARACTERS = 100

function answersIn({ answers: given }: Submission): string {
  const shown = JSON.stringify(given)
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown
}

/** The contact in words: by the name, or else by what is known of it. */
function contactIn({ contact }: Submission): string {
  if (contact === null) return 'nobody'
  const { contactId, firstName, lastName, email, phone } = contact
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ')
  const known = [name, email ?? '', phone ?? ''].filter((part) => part !== '')
  return known.length === 0 ? contactId : known.join(', ')
}

export const listSubmissions = operated({
  id: 'submissions.list',
  path: PATH,
  ...common,
  needsOrganization: true,
  summary: 'List what came in through forms',
  description: 'Newest first.',
  query: {
    formId: optionalText('Only submissions of this form.', 'contact')('formId'),
    contactId: optionalText('Only submissions of this contact.', 'con-1')('contactId'),
    ...pageParameters,
  },
  responses: {
    200: jsonResponse('A page of submissions.', pageOf('SubmissionPage', Submission), {
      data: [sample],
      pagination: samplePagination,
    }),
    400: 'BadRequest',
    404: 'NotFound',
  },
  commands: [
    {
      words: ['submissions', 'list'],
      flags: {
        org: ofOrganization(),
        form: sets('formId', text('FORMID')),
        contact: sets('contactId', text('CONTACTID')),
      },
      summary: 'List what came in through forms, newest first',
      details: [
        'A line has the beginning of the answers, JSON has all of them. Answers to fields whose id reads as a secret are left',
        'out, as everywhere. --csv prints a sheet with a column for each field, for spreadsheets: a text that these would take',
        "for a formula begins with ' there.",
      ],
      examples: ['--org lakeside', '--org lakeside --form contact --limit 500 --csv > contact.csv'],
      columns: [
        { head: 'submitted at', of: ({ submittedAt }) => submittedAt },
        { head: 'submission', of: ({ submissionId }) => submissionId },
        { head: 'form', of: ({ formId }) => formId },
        { head: 'contact', of: contactIn, mayBeCut: true },
        { head: 'answers', of: answersIn, mayBeCut: true },
      ],
      sheet: {
        of: showOrganizationForm,
        rows: (submissions, shown) =>
          submissionsSheet(
            shown === null ? [] : answeredFields((shown as v.InferOutput<typeof ShownForm>).form),
            submissions,
          ),
      },
      shown: { count: 50, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    const { formId, contactId } = query
    const tenant = world.tenant(organizationId)
    if (formId !== null && (await tenant.findMany(forms.collection, ['formId'], [formId])).length === 0)
      return unknownForm(formId, organizationId)
    const where = Object.entries({ formId, contactId }).flatMap(([field, value]): Predicate[] =>
      value === null ? [] : [{ field, operator: 'equals', value }],
    )
    const order = { field: 'submittedAt', idField: 'submissionId', direction: 'descending' } as const
    const asked = { collection: formSubmissions.collection, select: SELECT, where, order }
    return servePlacesPage(
      query,
      {
        scope: { endpointId: operation.id, organizationId: JSON.stringify([organizationId, where]) },
        read: async (after, limit) => {
          const page = await readStoredPage<StoredRow>(tenant, asked, { after, limit })
          return { ...page, rows: await withContacts(page.rows, tenant) }
        },
      },
      world,
      (submission) => submission,
    )
  },
})

export const showSubmission = operated({
  id: 'submissions.show',
  path: `${PATH}/{submissionId}`,
  ...common,
  needsOrganization: true,
  summary: 'Show a submission and what followed it',
  responses: {
    200: jsonResponse('The submission.', ShownSubmission, { ...sample, runs: [], messages: [], waiting: [] }),
    404: 'NotFound',
  },
  commands: [
    {
      words: ['submissions', 'show'],
      positionals: ['ID'],
      flags: { org: ofOrganization() },
      summary: 'Print a submission with its contact, runs and messages, as JSON',
      details: ['ID is what "submissions list" shows, and what the emails about a submission name.'],
      examples: ['sub_2Zk8QwVt7LhXn4RmPq9sBc --org lakeside'],
      says: (body) => ({ out: [shownJson(body, 2)] }),
    },
  ],
  answer: async ({ params: { organizationId = '', submissionId = '' } }, world) => {
    const tenant = world.tenant(organizationId)
    const found = await tenant.findMany(formSubmissions.collection, SELECT, [submissionId])
    const [submission] = await withContacts(found, tenant)
    if (submission === undefined)
      return errorReply(404, `${organizationId} has no submission ${echoed(submissionId)}.`)
    // Runs are numbered, beginning with 1.
    const runIds = Array.from({ length: FOLLOWING_MAX }, (_, index) => `run_${submissionId}_${index + 1}`)
    const [runs, messages, waiting] = await Promise.all([
      tenant.findMany(automationRuns.collection, Object.keys(Run.entries), runIds),
      world.sends.open(organizationId).ofSubmission(submissionId, FOLLOWING_MAX),
      world.outbox.ofSubmission(organizationId, submissionId),
    ])
    return jsonReply(
      200,
      {
        ...submission,
        runs: runs.map((run) => run as Run).sort((left, right) => left.runId.localeCompare(right.runId)),
        messages: messages.map((message: SendRecord) => publishedSend(message, world.clock.nowMs())),
        waiting: [...waiting],
      },
      PRIVATE,
    )
  },
})

const SELECT = [
  ...['submissionId', 'formId', 'formName', 'submittedAt', 'source', 'contactId'],
  ...['answers', 'typed', 'attribution'],
]

/** The maximum number of runs and messages of one submission that are shown. */
const FOLLOWING_MAX = 100

/** The published form of stored submissions, each with its contact. */
async function withContacts(
  rows: readonly StoredRow[],
  tenant: Pick<ReturnType<OperatorWorld['tenant']>, 'findMany'>,
): Promise<readonly Submission[]> {
  const contactIds = rows.flatMap(({ contactId }) => (typeof contactId === 'string' ? [contactId] : []))
  const found = await tenant.findMany(contacts.collection, Object.keys(Contact.entries), contactIds)
  const byId = new Map(found.map((contact) => [contact.contactId, contact as Contact]))
  return rows.map(({ contactId, answers: stored, typed, ...submission }) => ({
    ...(submission as Omit<Submission, 'contact' | 'answers'>),
    contact: byId.get(contactId) ?? null,
    answers: answersAsTyped(
      publicAnswers({ answers: stored as Submission['answers'] }),
      typed as Readonly<Record<string, string>> | null,
    ),
  }))
}

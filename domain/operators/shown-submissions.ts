import * as v from 'valibot'
import type { StoredRow } from '../../ports/records.ts'
import { component, described, worded } from '../record/meaning.ts'
import { spamReasons } from '../spam/reasons.ts'
import { answersAsTyped } from '../forms/language/answers.ts'
import { keysOf, listOf } from '../text/encoding.ts'
import { REPLY_TO_KEY, SUBJECT_KEY } from '../forms/language/definition.ts'
import { publicAnswers } from '../resources/answers.ts'
import { contacts } from '../resources/contacts.ts'
import { instant } from './serve.ts'
import type { OperatorWorld } from './world.ts'
import { Entry, Send } from './outbox.ts'

const Contact = v.strictObject({
  contactId: v.string(),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  email: v.nullable(v.string()),
  phone: v.nullable(v.string()),
})

type Contact = v.InferOutput<typeof Contact>

const answers = v.record(v.string(), v.unknown())

export const Submission = v.strictObject({
  submissionId: described(v.string(), 'Names the submission, also in the emails that follow it.'),
  formId: v.string(),
  formName: v.nullable(v.string()),
  submittedAt: instant,
  source: worded(described(v.picklist(['headless', 'hosted']), 'Where the form was filled in.'), {
    label: 'Filled in',
    choices: { headless: 'on a website, or on the form’s own page here', hosted: 'on a hosted page' },
  }),
  contact: described(v.nullable(Contact), 'Whom it belongs to, as stored now; null: nobody.'),
  answers: described(
    answers,
    'By field, for people: a phone number is as the visitor typed it, of which the public API has the last ten digits. Answers to fields whose id reads as a secret are left out.',
  ),
  extra: described(
    v.record(v.string(), v.string()),
    'What was sent to /f/ besides, by name, of a form that keeps it, and of any form `_subject` and `_replyto`, as `subject` and `replyTo`. What reads as a secret is left out.',
  ),
  attribution: described(answers, 'Where the visitor came from.'),
  read: described(v.boolean(), 'Whether somebody marked it read. One that came in is unread.'),
  spam: described(v.boolean(), 'Whether it was taken for spam, or marked as spam.'),
  spamReasons: described(
    v.array(v.string()),
    `Why: ${keysOf(spamReasons).join(', ')}. Empty for what is no spam.`,
  ),
})

export type Submission = v.InferOutput<typeof Submission>

export const Run = v.strictObject({
  runId: v.string(),
  automationId: v.string(),
  status: v.string(),
  currentStep: v.number(),
  stepCount: v.number(),
  failureReason: v.nullable(v.string()),
  startedAt: instant,
  completedAt: v.nullable(instant),
})

export type Run = v.InferOutput<typeof Run>

export const ShownSubmission = component(
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

export const sample: Submission = {
  submissionId: 'sub_2Zk8QwVt7LhXn4RmPq9sBc',
  formId: 'contact',
  formName: 'Contact',
  submittedAt: '2026-05-19T17:45:12.000Z',
  source: 'headless',
  contact: { contactId: 'con-1', firstName: 'Ada', lastName: null, email: 'ada@example.com', phone: null },
  answers: { name: 'Ada', message: 'Are you open on Sunday?' },
  extra: {},
  attribution: {},
  read: false,
  spam: false,
  spamReasons: [],
}

export const SELECT = [
  ...['submissionId', 'formId', 'formName', 'submittedAt', 'source', 'contactId'],
  ...['answers', 'typed', 'extra', 'attribution', 'spam', 'spamReasons'],
]

/** What a visitor gave that people are shown: as it is stored, as it was typed, and what came besides. */
export function shownOf({ answers: given, typed, extra }: StoredRow): readonly unknown[] {
  const parts = [given, typed].map((part) =>
    publicAnswers({ answers: (part ?? {}) as Submission['answers'] }),
  )
  return [...parts, shownExtra(extra)]
}

/** What came besides the answers. What a page says of the notification has names that nobody is shown otherwise. */
function shownExtra(extra: unknown): Submission['extra'] {
  const stored = (extra ?? {}) as Submission['extra']
  const { [SUBJECT_KEY]: subject, [REPLY_TO_KEY]: replyTo } = stored
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(publicAnswers({ answers: stored }) as Submission['extra']),
  }
}

/** The published form of stored submissions, each with its contact and what people said of it. */
export async function published(rows: readonly StoredRow[], tenant: Tenant): Promise<readonly Submission[]> {
  const contactIds = rows.flatMap(({ contactId }) => (typeof contactId === 'string' ? [contactId] : []))
  const [found, read] = await Promise.all([
    tenant.findMany(contacts.collection, Object.keys(Contact.entries), contactIds),
    tenant.findRead(rows.map(({ submissionId }) => String(submissionId))),
  ])
  const byId = new Map(found.map((contact) => [contact.contactId, contact as Contact]))
  const readIds = new Set(read)
  return rows.map(({ contactId, answers: stored, typed, extra, spamReasons: reasons, ...row }) => {
    const submission = row as Omit<Submission, 'contact' | 'answers' | 'extra' | 'read' | 'spamReasons'>
    return {
      ...submission,
      contact: byId.get(contactId) ?? null,
      answers: answersAsTyped(
        publicAnswers({ answers: stored as Submission['answers'] }),
        typed as Readonly<Record<string, string>> | null,
      ),
      extra: shownExtra(extra),
      read: readIds.has(submission.submissionId),
      spamReasons: submission.spam ? listOf(reasons).map(String) : [],
    }
  })
}

export type Tenant = ReturnType<OperatorWorld['tenant']>

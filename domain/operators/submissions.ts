import * as v from 'valibot'
import type { Predicate, StoredRow } from '../../ports/records.ts'
import type { SendRecord } from '../../ports/messaging.ts'
import { mark, ofOrganization, sets, text } from '../record/command.ts'
import { described } from '../record/meaning.ts'
import { jsonResponse } from '../record/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../record/reply.ts'
import { shownFields, submissionsSheet } from '../forms/shown-answers.ts'
import { automationRuns } from '../resources/automations.ts'
import { formSubmissions } from '../resources/form-submissions.ts'
import { INSTANT_FORM, isCalendarDate, parseInstant } from '../text/instant.ts'
import { echoed } from '../limits/limits.ts'
import { folded, mentions } from '../text/words.ts'
import { shownJson } from '../text/terminal.ts'
import {
  optionalRead,
  optionalText,
  pageOf,
  pageParameters,
  pageResponse,
  servePlacesPage,
  readStoredPage,
} from './list.ts'
import { operated, count, jsonBody } from './serve.ts'
import { showOrganizationForm } from './forms.ts'
import { type ShownForm, unknownForm } from './save-forms.ts'
import { publishedSend } from './outbox.ts'
import { forms } from '../resources/forms.ts'
import { idMaxLength } from '../record/field.ts'
import {
  Submission,
  Run,
  ShownSubmission,
  sample,
  SELECT,
  shownOf,
  published,
  type Tenant,
} from './shown-submissions.ts'

const PATH = '/operator/v1/organizations/{organizationId}/submissions'

const common = { method: 'GET', access: 'support', tag: 'Form definitions' } as const

/** How many characters of a submission's answers a line shows. */
const SHOWN_CHARACTERS = 100

function answersIn({ answers: given, extra }: Submission): string {
  const shown = JSON.stringify({ ...given, ...extra, ...given })
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

/** The longest text that is searched for, in characters. */
const SEARCH_MAX_LENGTH = 200

/**
 * How many submissions a page with a search looks at. Their answers are in no index, so the storage reads about five rows
 * for each (`npm run bench -- bill`), and a page costs about 20,000 rows read.
 */
const SEARCHED_MAX = 4_000

function boundary(description: string) {
  return optionalRead(description, {
    example: '2026-05-01',
    allowed: `must be a day as 2026-05-01, or ${INSTANT_FORM}`,
    // An unencoded + of an offset arrives as a space in a query string.
    read: (given) =>
      isCalendarDate(given) ? `${given}T00:00:00.000Z` : parseInstant(given.replace(/ (?=\d\d:\d\d$)/, '+')),
  })
}

async function isUnknownForm(formId: string, tenant: Tenant): Promise<boolean> {
  return (await tenant.findMany(forms.collection, ['formId'], [formId])).length === 0
}

export const listSubmissions = operated({
  id: 'submissions.list',
  openTo: 'member',
  path: PATH,
  ...common,
  needsOrganization: true,
  summary: 'List what came in through forms',
  description: 'Newest first.',
  query: {
    formId: optionalText('Only submissions of this form.', 'contact'),
    contactId: optionalText('Only submissions of this contact.', 'con-1'),
    search: optionalRead(
      'Only submissions whose answers have this text: in texts at any depth and in numbers, as they are stored, in phone numbers as they were typed too, and in what a form keeps besides. Small and capital letters from A to Z are the same. A page looks at a few thousand submissions and may end before its limit, with a cursor.',
      {
        example: 'sunday',
        allowed: `must be a text of at most ${SEARCH_MAX_LENGTH} characters`,
        read: (given) => (given.length > SEARCH_MAX_LENGTH ? null : given),
      },
    ),
    after: boundary('Only what was submitted at this instant or later, or on this day (UTC) or later.'),
    before: boundary('Only what was submitted before this instant, or before this day (UTC).'),
    spam: optionalRead('Only spam, or only what is none.', {
      example: 'false',
      allowed: 'must be true or false',
      read: (given) => (given === 'true' || given === 'false' ? given : null),
    }),
    ...pageParameters,
  },
  responses: {
    200: pageResponse('A page of submissions.', pageOf('SubmissionPage', Submission), sample),
  },
  commands: [
    {
      words: ['submissions', 'list'],
      flags: {
        org: ofOrganization(),
        form: sets('formId', text('FORMID')),
        contact: sets('contactId', text('CONTACTID')),
        search: sets('search', text('TEXT')),
        after: sets('after', text('DAY')),
        before: sets('before', text('DAY')),
        'no-spam': sets('spam', mark('optional', 'false')),
        labels: mark(),
      },
      summary: 'List what came in through forms, newest first',
      details: [
        'A line has the beginning of the answers and of what was sent besides, JSON has all of them, the latter as "extra".',
        'Answers to fields whose id reads as a secret are left out, as everywhere. --csv prints a sheet with a column for each',
        "field, for spreadsheets: a text that these would take for a formula begins with ' there. It has the ids of fields and",
        'the stored values; with --labels the words of the form. What was sent besides has columns called extra.NAME.',
        '--search finds a text in the texts and numbers of answers, as they are stored: of an option its value, of a phone',
        'number also what was typed. It finds what was sent besides, too. Small and capital letters from A to Z are the same.',
        '--after begins with a day (2026-05-01, UTC) or an instant, --before ends before it. What was taken for spam is among',
        'them, unless --no-spam leaves it out.',
      ],
      examples: [
        '--org lakeside',
        '--org lakeside --form contact --limit 500 --csv > contact.csv',
        '--org lakeside --csv --labels',
        '--org lakeside --search sunday --after 2026-05-01',
      ],
      columns: [
        { head: 'submitted at', of: ({ submittedAt }) => submittedAt },
        { head: 'submission', of: ({ submissionId }) => submissionId },
        { head: 'form', of: ({ formId }) => formId },
        { head: 'contact', of: contactIn, mayBeCut: true },
        { head: 'spam', of: ({ spam }) => (spam ? 'yes' : 'no') },
        { head: 'answers', of: answersIn, mayBeCut: true },
      ],
      sheet: {
        of: showOrganizationForm,
        // Without labels, the fields of the form that was asked for have their columns although nobody answered them.
        calls: (submissions, { form, labels }) => {
          const ofAll = labels === true ? submissions.map(({ formId }) => formId) : []
          return [...new Set(typeof form === 'string' ? [form] : ofAll)].map((formId) => ({ formId }))
        },
        rows: (submissions, shown, { labels }) => {
          const answered = shown.flatMap((one) =>
            one === null ? [] : [(one as v.InferOutput<typeof ShownForm>).form],
          )
          const fields = new Map(answered.map((form) => [String(form.formId), shownFields(form.fields)]))
          return submissionsSheet(submissions, fields, { isLabelled: labels === true })
        },
      },
      problem: ({ csv, labels }) => (labels === true && csv !== true ? '--labels needs --csv' : null),
      shown: { count: 50, which: 'newest' },
    },
  ],
  answer: async ({ operation, params: { organizationId = '' }, query }, world) => {
    const { formId, contactId, after, before, spam } = query
    const search = query.search === null ? null : folded(query.search)
    const tenant = world.tenant(organizationId)
    if (formId !== null && (await isUnknownForm(formId, tenant))) return unknownForm(formId, organizationId)
    const given: readonly (readonly [string, Predicate['operator'], string | boolean | null, string[]?])[] = [
      ['formId', 'equals', formId],
      ['contactId', 'equals', contactId],
      ['submittedAt', 'atLeast', after],
      ['submittedAt', 'below', before],
      ['spam', 'equals', spam === null ? null : spam === 'true'],
      ['answers', 'mentions', search, ['typed', 'extra']],
    ]
    const where = given.flatMap(([field, operator, value, others]): Predicate[] =>
      value === null ? [] : [{ field, operator, value, ...(others === undefined ? {} : { others }) }],
    )
    const order = { field: 'submittedAt', idField: 'submissionId', direction: 'descending' } as const
    const bounded = search === null ? {} : { looksAtMax: SEARCHED_MAX }
    const asked = { collection: formSubmissions.collection, select: SELECT, where, order, ...bounded }
    return servePlacesPage(query, world, {
      scope: { endpointId: operation.id, organizationId: JSON.stringify([organizationId, where]) },
      read: async (position, limit) => {
        const page = await readStoredPage<StoredRow>(tenant, asked, { after: position, limit })
        // The storage does not know which answers are secrets.
        const found = search === null ? page.rows : page.rows.filter((row) => mentions(shownOf(row), search))
        return { ...page, rows: await published(found, tenant) }
      },
      publish: (submission) => submission,
    })
  },
})

export const showSubmission = operated({
  id: 'submissions.show',
  openTo: 'member',
  path: `${PATH}/{submissionId}`,
  ...common,
  needsOrganization: true,
  summary: 'Show a submission and what followed it',
  responses: {
    200: jsonResponse('The submission.', ShownSubmission, { ...sample, runs: [], messages: [], waiting: [] }),
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
    const [submission] = await published(found, tenant)
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

/** The maximum number of runs and messages of one submission that are shown. */
const FOLLOWING_MAX = 100

/** What submissions can be marked as, by the flags of the command. */
const marks = ['read', 'unread', 'spam', 'clean'] as const

/** The maximum number of submissions that one request marks. */
const MARKED_MAX = 500

/** How many of the newest submissions are looked at to count those that are unread: two rows are read for each. */
const COUNTED_MAX = 9_000

export const countUnread = operated({
  ...common,
  id: 'submissions.unread',
  openTo: 'member',
  path: '/operator/v1/organizations/{organizationId}/unread-submissions',
  needsOrganization: true,
  summary: 'Count submissions that nobody has read',
  query: { formId: optionalText('Only submissions of this form.', 'contact') },
  responses: {
    200: jsonResponse(
      'How many there are.',
      v.strictObject({
        unread: described(count, 'How many of the submissions that were looked at are unread, and no spam.'),
        isWhole: described(
          v.boolean(),
          `Whether all were looked at. False: only the newest ${COUNTED_MAX}, so there may be more.`,
        ),
      }),
      { unread: 3, isWhole: true },
    ),
  },
  commands: [
    {
      words: ['submissions', 'unread'],
      flags: { org: ofOrganization(), form: sets('formId', text('FORMID')) },
      summary: 'Print how many submissions nobody has read',
      details: [`Among the newest ${COUNTED_MAX}; a + says that there may be more.`],
      examples: ['--org lakeside', '--org lakeside --form contact'],
      says: ({ unread, isWhole }) => ({ out: [`${unread}${isWhole ? '' : '+'}`] }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, query: { formId } }, world) => {
    const tenant = world.tenant(organizationId)
    if (formId !== null && (await isUnknownForm(formId, tenant))) return unknownForm(formId, organizationId)
    return jsonReply(200, await tenant.countUnread(formId, COUNTED_MAX), PRIVATE)
  },
})

export const markSubmissions = operated({
  ...common,
  id: 'submissions.mark',
  access: 'admin',
  openTo: 'member',
  method: 'POST',
  path: `${PATH}/mark`,
  action: 'submission.mark',
  needsOrganization: true,
  summary: 'Mark submissions',
  description:
    'All of them or none, and one thing of them: whether they are read, or whether they are spam. That they are read is for the people who read what came in: `updatedAt` of a submission stays, and a sync does not get it again. What nobody had followed of spam that is marked clean follows then, once. What has followed stays, whatever a submission is marked afterwards.',
  body: jsonBody(
    v.pipe(
      v.strictObject({
        ids: described(
          v.pipe(
            v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(idMaxLength))),
            v.minLength(1),
            v.maxLength(MARKED_MAX),
          ),
          'The ids of the submissions.',
        ),
        read: v.exactOptional(described(v.boolean(), 'Whether they are marked read, or unread.')),
        spam: v.exactOptional(described(v.boolean(), 'Whether they are marked as spam, or as clean.')),
      }),
      v.check(
        ({ read, spam }) => (read === undefined) !== (spam === undefined),
        'must have either read or spam',
      ),
    ),
    { ids: ['sub_2Zk8QwVt7LhXn4RmPq9sBc'], read: true },
    500_000,
  ),
  responses: {
    204: { description: 'They are marked.' },
    409: 'Conflict',
  },
  commands: [
    {
      words: ['submissions', 'mark'],
      positionals: ['ID…'],
      several: 'ids',
      flags: {
        org: ofOrganization(),
        read: sets('read', mark('either')),
        unread: sets('read', mark('either', false)),
        spam: sets('spam', mark('either')),
        clean: sets('spam', mark('either', false)),
      },
      summary: 'Mark submissions read or unread, as spam or as clean',
      details: [
        `At most ${MARKED_MAX} at once, all of them or none. --json of "submissions list" and "submissions show" has the mark as`,
        '"read", and whether it is spam as "spam". A tenant\'s sync does not get a submission again because it was read. What',
        'would have followed from spam (its contact, notifications, automations, webhooks) follows once it is marked clean. What',
        'has followed already stays, and follows no second time.',
      ],
      examples: [
        'sub_2Zk8QwVt7LhXn4RmPq9sBc --org lakeside --read',
        'sub_2Zk8QwVt7LhXn4RmPq9sBc --org lakeside --clean',
      ],
      says: (_answer, { values }) => ({
        notes: [`Marked ${marks.find((one) => values[one] === true) ?? ''}.`],
      }),
    },
  ],
  answer: async ({ params: { organizationId = '' }, body: { ids, read, spam }, change }, world) => {
    const distinct = [...new Set(ids)]
    const as = spam === undefined ? (read === true ? 'read' : 'unread') : spam ? 'spam' : 'clean'
    await change.announce({ type: 'submissions', count: distinct.length, as })
    const said = spam === undefined ? { isRead: read === true } : { isSpam: spam }
    const unknown = await world.tenant(organizationId).markSubmissions(distinct, said)
    if (unknown.length === 0) return { status: 204, headers: PRIVATE, body: null } as const
    const named = unknown.map(echoed).join(', ')
    return errorReply(
      409,
      `${organizationId} has no submissions with these ids: ${named}. Nothing was marked.`,
    )
  },
})

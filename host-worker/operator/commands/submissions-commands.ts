import { listSubmissions, showSubmission } from '../../../domain/operators/endpoints/submissions.ts'
import { PAGE_ROWS_MAX } from '../../../domain/record/endpoint.ts'
import type { ItemOf } from '../client/pages.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { mark, text } from '../command/command.ts'
import { limitIn } from './limit-flag.ts'

const LISTED = 50
/** How many characters of a submission's answers a line shows. */
const SHOWN_CHARACTERS = 100

type Submission = ItemOf<typeof listSubmissions>

const listCommand: Command = {
  words: ['submissions', 'list'],
  positionals: [],
  flags: { org: text('ID', 'required'), form: text('FORMID'), json: mark(), limit: text('N') },
  summary: 'List what came in through forms, newest first',
  details: [
    'A line holds: when it came, submission id, form, the contact, and the beginning of the answers. --json prints one',
    'JSON object a line, with all answers. Answers to fields whose id reads as a secret are left out, as everywhere.',
    `At most ${LISTED} are shown without --limit.`,
  ],
  operations: [listSubmissions],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const limit = limitIn(values, LISTED)
    const formId = textOf(values, 'form')
    const query = { limit: Math.min(limit, PAGE_ROWS_MAX), ...(formId === undefined ? {} : { formId }) }
    let listed = 0
    const service = await context.service()
    for await (const submission of itemsOf(service, listSubmissions, { params: { organizationId }, query })) {
      context.out(values.json === true ? JSON.stringify(submission) : describe(submission))
      listed += 1
      if (listed === limit) return
    }
  },
}

function describe(submission: Submission): string {
  const { submittedAt, submissionId, formId, answers } = submission
  const shown = JSON.stringify(answers)
  const beginning = shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown
  return [submittedAt, submissionId, formId, contactIn(submission), beginning].join('  ')
}

/** The contact in words: by the name, or else by what is known of it. */
function contactIn({ contact }: Submission): string {
  if (contact === null) return 'nobody'
  const { contactId, firstName, lastName, email, phone } = contact
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ')
  const known = [name, email ?? '', phone ?? ''].filter((part) => part !== '')
  return known.length === 0 ? contactId : known.join(', ')
}

const showCommand: Command = {
  words: ['submissions', 'show'],
  positionals: ['ID'],
  flags: { org: text('ID', 'required') },
  summary: 'Print a submission with its contact, runs and messages, as JSON',
  details: ['ID is what "submissions list" shows, and what the emails about a submission name.'],
  operations: [showSubmission],
  run: async (context, { values, positionals: [submissionId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showSubmission, { params: { organizationId, submissionId } })
    context.out(JSON.stringify(body, null, 2))
  },
}

export const commands = [listCommand, showCommand]

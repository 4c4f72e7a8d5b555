import { showOrganizationForm } from '../../../../domain/operators/endpoints/forms/organization-forms.ts'
import { listSubmissions, showSubmission } from '../../../../domain/operators/endpoints/forms/submissions.ts'
import type { ItemOf } from '../../client/pages.ts'
import { itemsOf } from '../../client/pages.ts'
import { textOf } from '../../command/arguments.ts'
import type { Command } from '../../command/command.ts'
import { text } from '../../command/command.ts'
import { shownJson } from '../../../../domain/text/escaped-commands.ts'
import { listing, source } from '../../listing/listing.ts'
import { openSubmissionsSheet } from './submissions-sheet.ts'

/** How many characters of a submission's answers a line shows. */
const SHOWN_CHARACTERS = 100

type Submission = ItemOf<typeof listSubmissions>

const submissions = source<Submission>(
  [
    { head: 'submitted at', of: ({ submittedAt }) => submittedAt },
    { head: 'submission', of: ({ submissionId }) => submissionId },
    { head: 'form', of: ({ formId }) => formId },
    { head: 'contact', of: contactIn, mayBeCut: true },
    { head: 'answers', of: answersIn, mayBeCut: true },
  ],
  async (context, values, limit) => {
    const organizationId = textOf(values, 'org') ?? ''
    const formId = textOf(values, 'form')
    const contactId = textOf(values, 'contact')
    const query = {
      limit,
      ...(formId === undefined ? {} : { formId }),
      ...(contactId === undefined ? {} : { contactId }),
    }
    return itemsOf(await context.service(), listSubmissions, { params: { organizationId }, query })
  },
  openSubmissionsSheet,
)

const listCommand = listing({
  words: ['submissions', 'list'],
  flags: { org: text('ID', 'required'), form: text('FORMID'), contact: text('CONTACTID') },
  summary: 'List what came in through forms, newest first',
  details: [
    'A line has the beginning of the answers, JSON has all of them. Answers to fields whose id reads as a secret are left',
    'out, as everywhere. --csv prints a sheet with a column for each field, for spreadsheets: a text that these would take',
    "for a formula begins with ' there.",
  ],
  examples: ['--org lakeside', '--org lakeside --form contact --limit 500 --csv > contact.csv'],
  operations: [listSubmissions, showOrganizationForm],
  sources: [submissions],
  piped: 'columns',
  shown: { count: 50, which: 'newest' },
})

function answersIn({ answers }: Submission): string {
  const shown = JSON.stringify(answers)
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

const showCommand: Command = {
  words: ['submissions', 'show'],
  positionals: ['ID'],
  flags: { org: text('ID', 'required') },
  summary: 'Print a submission with its contact, runs and messages, as JSON',
  details: ['ID is what "submissions list" shows, and what the emails about a submission name.'],
  examples: ['sub_2Zk8QwVt7LhXn4RmPq9sBc --org lakeside'],
  operations: [showSubmission],
  run: async (context, { values, positionals: [submissionId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showSubmission, { params: { organizationId, submissionId } })
    context.out(shownJson(body, 2))
  },
}

export const commands = [listCommand, showCommand]

import {
  listOrganizationForms,
  publishOrganizationForm,
  saveOrganizationForms,
  showOrganizationForm,
} from '../../../../domain/operators/endpoints/forms/organization-forms.ts'
import { FORMS_MAX } from '../../../../domain/operators/endpoints/forms/forms-check.ts'
import { clientFormOf } from '../../../../domain/forms/definition/compiled/client-definition.ts'
import { compileForm } from '../../../../domain/forms/definition/compiled/compile.ts'
import { formPage, formSnippet } from '../../../../domain/forms/page/form-page.ts'
import type { FormDefinition } from '../../../../ports/records/form-directory.ts'
import { isJsonObject } from '../../../../domain/text/json.ts'
import { CommandError } from '../../client/errors.ts'
import type { AnswerTo } from '../../client/service/operator-service.ts'
import { itemsOf } from '../../client/pages.ts'
import type { ItemOf } from '../../client/pages.ts'
import { textOf } from '../../command/arguments.ts'
import type { Command } from '../../command/command.ts'
import { mark, text } from '../../command/command.ts'
import type { Streams } from '../../command/context.ts'
import { shownJson } from '../../../../domain/text/escaped-commands.ts'
import { listing, source } from '../../listing/listing.ts'
import { formCheckCommand } from './form-check-command.ts'
import { formsInFile } from './form-file.ts'

const forms = source<ItemOf<typeof listOrganizationForms>>(
  [
    { head: 'form', of: ({ formId }) => formId },
    { head: 'state', of: ({ isPublished }) => (isPublished ? 'published' : 'unpublished') },
    { head: 'use', of: ({ supported }) => (supported ? 'can be submitted here' : 'must be hosted') },
    { head: 'changed at', of: ({ updatedAt }) => updatedAt },
    { head: 'name', of: ({ name }) => name, mayBeCut: true },
  ],
  async (context, values, limit) => {
    const params = { organizationId: textOf(values, 'org') ?? '' }
    return itemsOf(await context.service(), listOrganizationForms, { params, query: { limit } })
  },
)

const listCommand = listing({
  words: ['form', 'list'],
  flags: { org: text('ID', 'required') },
  summary: "List an organization's forms, newest first",
  details: ['JSON has the reasons for which a form must be hosted.'],
  examples: ['--org lakeside', '--org lakeside --json'],
  operations: [listOrganizationForms],
  sources: [forms],
  piped: 'columns',
  shown: { count: 1000, which: 'newest' },
})

const showCommand: Command = {
  words: ['form', 'show'],
  positionals: ['FORMID'],
  flags: { org: text('ID', 'required') },
  summary: 'Print a form as JSON, as an import of forms takes it',
  details: ['The password is not stored, so it is not printed. Why a form must be hosted is said beside it.'],
  examples: ['contact --org lakeside > contact.json'],
  operations: [showOrganizationForm],
  run: async (context, { values, positionals: [formId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showOrganizationForm, { params: { organizationId, formId } })
    context.out(shownJson(body.form, 2))
    for (const reason of body.reasons) context.note(`It must be hosted: ${reason}`)
  },
}

const htmlCommand: Command = {
  words: ['form', 'html'],
  positionals: ['FORMID'],
  flags: { org: text('ID', 'required'), client: mark(), snippet: mark() },
  summary: 'Print a page with the form, which works without scripts',
  details: [
    'The page is complete: labels, hints, what a browser can check, and a place for each error. --snippet prints the form',
    'alone, for a page that exists. --client adds the tag of the form client, which shows and hides conditional fields and',
    'keeps the visitor on the page. A form that must be hosted has no page: the exit code is 1, with the reasons.',
  ],
  examples: ['contact --org lakeside --client > contact.html', 'contact --org lakeside --snippet'],
  operations: [showOrganizationForm],
  run: async (context, { values, positionals: [formId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showOrganizationForm, { params: { organizationId, formId } })
    // The service shows what it has stored: a definition.
    const compilation = compileForm(body.form as unknown as FormDefinition)
    if (compilation.kind === 'unsupported')
      throw new CommandError(`${formId} must be hosted. ${compilation.reasons.join(' ')}`)
    const form = clientFormOf(compilation.form, body.requiresPassword)
    const write = values.snippet === true ? formSnippet : formPage
    context.out(write(form, { service: service.url, hasClient: values.client === true }).trimEnd())
    if (!body.isPublished) context.note(`${formId} is not published, so it takes no submissions yet.`)
  },
}

const saveCommand: Command = {
  words: ['form', 'save'],
  positionals: ['FILE'],
  flags: { org: text('ID', 'required') },
  summary: 'Create or update forms from JSON: one form, a list, or one form a line',
  details: [
    'All of them are saved, or none. A setting that is left out is cleared; a password that is left out stays, and null',
    'removes it. A form that cannot be submitted here is saved unpublished, with the reasons: the exit code is 0. One that an',
    'import has published so stays as it is while nothing of it changes.',
    'An unknown key of a form or field is refused. "form show" prints what this command takes.',
  ],
  examples: ['contact.json --org lakeside'],
  operations: [saveOrganizationForms],
  run: async (context, { values, positionals: [path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const forms = formsIn(path)
    const service = await context.service()
    const { body } = await service.call(saveOrganizationForms, {
      params: { organizationId },
      body: { forms },
    })
    for (const saved of body.data) writeSaved(saved, context)
  },
}

/** The forms in a file, all of which are saved at once. */
function formsIn(path: string): Record<string, unknown>[] {
  const found = formsInFile(path)
  if (found.length === 0) throw new CommandError(`${path} has no form.`)
  if (found.length > FORMS_MAX) throw new CommandError(`At most ${FORMS_MAX} forms are saved at once.`)
  return found.map(({ at, value, problem }) => {
    if (isJsonObject(value)) return value
    throw new CommandError(`${path}, ${at}: this ${problem}.`)
  })
}

type Saved = AnswerTo<typeof publishOrganizationForm>['body']

function writeSaved({ formId, outcome, isPublished, supported, reasons }: Saved, { out }: Streams): void {
  const state = isPublished ? 'published' : 'unpublished'
  out(`${formId}: ${outcome}, ${state}${supported ? '' : ', must be hosted'}`)
  for (const reason of reasons) out(`  ${reason}`)
}

function publishing(word: 'publish' | 'unpublish', summary: string, details: readonly string[]): Command {
  return {
    words: ['form', word],
    positionals: ['FORMID'],
    flags: { org: text('ID', 'required') },
    summary,
    details,
    examples: ['contact --org lakeside'],
    operations: [publishOrganizationForm],
    run: async (context, { values, positionals: [formId = ''] }) => {
      const organizationId = textOf(values, 'org') ?? ''
      const service = await context.service()
      const body = { isPublished: word === 'publish' }
      const answer = await service.call(publishOrganizationForm, { params: { organizationId, formId }, body })
      writeSaved(answer.body, context)
    },
  }
}

const publishCommand = publishing('publish', 'Publish a form, so that it takes submissions', [
  'A form that cannot be submitted here is not published: the exit code is 1, and the reasons are printed.',
])
const unpublishCommand = publishing('unpublish', 'Take a form back, so that it takes no more submissions', [
  'What was submitted stays.',
])

export const commands = [
  listCommand,
  showCommand,
  htmlCommand,
  saveCommand,
  publishCommand,
  unpublishCommand,
  formCheckCommand,
]

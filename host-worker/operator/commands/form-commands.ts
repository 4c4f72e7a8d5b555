import {
  listOrganizationForms,
  showOrganizationForm,
} from '../../../domain/operators/endpoints/organization-forms.ts'
import { itemsOf } from '../client/pages.ts'
import type { ItemOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { mark, text } from '../command/command.ts'
import { formCheckCommand } from './form-check-command.ts'
import { limitIn } from './limit-flag.ts'

const LISTED = 1000

const listCommand: Command = {
  words: ['form', 'list'],
  positionals: [],
  flags: { org: text('ID', 'required'), json: mark(), limit: text('N') },
  summary: "List an organization's forms, newest first",
  details: [
    'A line holds: form id, whether it is published, whether it can be submitted here or must be hosted, when it was',
    `changed, its name. --json prints one JSON object a line, with the reasons. At most ${LISTED} are shown without --limit.`,
  ],
  operations: [listOrganizationForms],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const limit = limitIn(values, LISTED)
    let listed = 0
    const all = itemsOf(await context.service(), listOrganizationForms, { params: { organizationId } })
    for await (const form of all) {
      if (listed === limit) {
        if (textOf(values, 'limit') === undefined) context.note(`Only the newest ${LISTED} are shown.`)
        return
      }
      listed += 1
      context.out(values.json === true ? JSON.stringify(form) : describe(form))
    }
  },
}

function describe(form: ItemOf<typeof listOrganizationForms>): string {
  const state = form.isPublished ? 'published' : 'unpublished'
  const use = form.supported ? 'can be submitted here' : 'must be hosted'
  return [form.formId, state, use, form.updatedAt, form.name].join('  ')
}

const showCommand: Command = {
  words: ['form', 'show'],
  positionals: ['FORMID'],
  flags: { org: text('ID', 'required') },
  summary: 'Print a form as JSON, as an import of forms takes it',
  details: ['The password is not stored, so it is not printed. Why a form must be hosted is said beside it.'],
  operations: [showOrganizationForm],
  run: async (context, { values, positionals: [formId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { body } = await service.call(showOrganizationForm, { params: { organizationId, formId } })
    context.out(JSON.stringify(body.form, null, 2))
    for (const reason of body.reasons) context.note(`It must be hosted: ${reason}`)
  },
}

export const commands = [listCommand, showCommand, formCheckCommand]

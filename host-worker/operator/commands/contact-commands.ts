import { eraseContact } from '../../../domain/operators/endpoints/organization/removals.ts'
import { textOf, textsOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { many, mark, text } from '../command/command.ts'

const eraseCommand: Command = {
  words: ['contact', 'erase'],
  positionals: [],
  flags: {
    org: text('ID', 'required'),
    contact: many('CID', 'some'),
    email: many('ADDRESS', 'some'),
    phone: many('NUMBER', 'some'),
    'dry-run': mark(),
  },
  summary: 'Erase what is stored about a person',
  details: [
    'An address names every contact and every row without a contact that carries it. The flags can be repeated and',
    'combined. The contact stays without anything about the person and is written to no more; answers, attribution, free',
    'text and notes are emptied; what was still to be sent to them is dropped. Public reviews stay, and purchases without',
    'their contact. Done again, it erases nothing more. A restoration of an archive that was made before erases the person',
    'again.',
    '--dry-run says in how many rows that is at most, and changes nothing.',
  ],
  examples: ['--org lakeside --contact c-1', '--org lakeside --email ada@example.com --dry-run'],
  operations: [eraseContact],
  run: async (context, { values }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const given = (flag: string) => [...textsOf(values, flag)]
    const isDryRun = values['dry-run'] === true
    const person = {
      ...{ contactIds: given('contact'), emails: given('email'), phones: given('phone') },
      dryRun: isDryRun,
    }
    const service = await context.service()
    const erase = (more: { readonly next?: string }) =>
      service.call(eraseContact, { params: { organizationId }, body: { ...person, ...more } })
    let { body } = await erase({})
    let rows = body.rows
    while (body.next !== null) {
      ;({ body } = await erase({ next: body.next }))
      rows += body.rows
    }
    const { contactIds } = body
    const contacts = contactIds.length === 0 ? 'no contact' : contactIds.join(', ')
    context.note(
      isDryRun
        ? `Would erase the person in at most ${rows} rows (${contacts}). Nothing was changed.`
        : `Erased the person in ${rows} rows (${contacts}).`,
    )
  },
}

export const commands = [eraseCommand]

import {
  listOrganizations,
  saveOrganization,
  showOrganization,
} from '../../../../domain/operators/endpoints/organization/organizations.ts'
import { jurisdictions, placeKinds, regions } from '../../../../domain/placement/operators/choices.ts'
import { posKinds } from '../../../../domain/pos/index.ts'
import { organizationFlags } from '../../../../domain/operators/organization-settings.ts'
import { CommandError } from '../../client/errors.ts'
import type { ItemOf } from '../../client/pages.ts'
import { itemsOf } from '../../client/pages.ts'
import type { Command } from '../../command/command.ts'
import { clearable, text } from '../../command/command.ts'
import { listing, source } from '../../listing/listing.ts'
import { deleteCommand } from './delete-command.ts'
import { exportCommand } from './export-command.ts'
import { restoreCommand } from './restore-command.ts'
import { changesOf, lawFlags, organizationIdOf, placeOf, settingFlags } from './organization-flags.ts'
import { moveCommand } from './move-command.ts'
import { saved, settingsOf } from './saved-organization.ts'
import { callWithFlags } from '../settings.ts'

/** The flags of the settings of an organization. */
const settingFlagOptions = Object.fromEntries(
  Object.values(organizationFlags).map(({ name, placeholder, isClearable }) => {
    return [name, (isClearable ? clearable : text)(placeholder)]
  }),
)

const createCommand: Command = {
  words: ['org', 'create'],
  positionals: [],
  flags: {
    id: text('ID', 'required'),
    ...settingFlagOptions,
    place: text(placeKinds.join('|')),
    ...lawFlags,
  },
  summary: 'Create or update an organization',
  details: [
    'Flags that are not given keep what is there; what an update changes is printed. A new organization needs a name; its capabilities are no, its',
    'billing events yes, its phone country US. An empty --slug or --sms-number clears the setting. --parent none, or',
    'an empty one, unties the organization from its parent; in a database of its own, move the family to shared first.',
    '--automation-hourly bounds the messages that its automations send within any hour (default 500); what is over waits.',
    `KIND is ${posKinds.slice(0, -1).join(', ')} or ${posKinds.at(-1) ?? ''}; TENANT is the vendor's tenant id, the value of the shared`,
    "source's tenant column, or the name of a data source of the gateway. none unties the organization.",
    'A new organization without a parent lives, with all below it, in the database that families share, or with --place',
    'own in one of its own. --region asks for it near there; --jurisdiction binds it to a law.',
    `REGION is one of ${regions.join(', ')}; LAW is ${jurisdictions.join(', ')}. A child goes where its parent is.`,
  ],
  examples: ['--id lakeside --name "Lakeside Wash" --slug lakeside', '--id lakeside --analytics yes'],
  operations: [showOrganization, saveOrganization],
  run: async (context, { values }) => {
    // Flags are checked before a service is opened.
    const organizationId = organizationIdOf(values)
    const changes = { ...changesOf(values), ...placeOf(values) }
    const service = await context.service()
    const before = await settingsOf(organizationId, service)
    const { body } = await callWithFlags(settingFlags, () =>
      service.call(saveOrganization, { params: { organizationId }, body: changes }),
    )
    const { stateDirectory } = service
    if (stateDirectory !== null && body.posSource !== null) {
      // Loaded on demand: few organizations have a point of sale.
      const { makeLocalSource } = await import('../../../local/pos-sources.ts')
      makeLocalSource(stateDirectory, body.posSource)
    }
    for (const line of saved(organizationId, before, body)) context.note(line)
  },
}

const showCommand: Command = {
  words: ['org', 'show'],
  positionals: ['ID'],
  flags: {},
  summary: "Print an organization's settings, and where it lives, as JSON",
  details: [],
  examples: ['lakeside'],
  operations: [showOrganization],
  run: async (context, { positionals: [organizationId = ''] }) => {
    const service = await context.service()
    const { body } = await service.call(showOrganization, { params: { organizationId } })
    context.out(JSON.stringify(body, null, 2))
    if ('unanswered' in body)
      throw new CommandError('The database of its family does not answer: only its place is known.')
  },
}

const organizations = source<ItemOf<typeof listOrganizations>>(
  [
    { head: 'organization', of: ({ organizationId }) => organizationId },
    { head: 'name', of: ({ name }) => name, mayBeCut: true },
  ],
  async (context, _values, limit) =>
    itemsOf(await context.service(), listOrganizations, { query: { limit } }, context.note),
)

const listCommand = listing({
  words: ['org', 'list'],
  flags: {},
  summary: 'List the organizations by their id, each with its name',
  details: ['"org show ID" prints the settings of one.'],
  examples: ['', '--json'],
  operations: [listOrganizations],
  sources: [organizations],
  piped: 'columns',
  shown: null,
})

export const commands = [
  createCommand,
  showCommand,
  listCommand,
  moveCommand,
  exportCommand,
  restoreCommand,
  deleteCommand,
]

import { posKinds } from '../../../domain/pos/index.ts'
import { makeLocalSource } from '../../local/pos-sources.ts'
import { itemsOf } from '../client/pages.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { clearable, text } from '../command/command.ts'
import { changesOf, organizationIdOf, settingFlags } from './organization-flags.ts'
import { callWithFlags } from './settings.ts'

const YES_NO = 'yes|no'

export const createOrganization: Command = {
  words: ['org', 'create'],
  positionals: [],
  flags: {
    id: text('ID', 'required'),
    name: text('N'),
    slug: clearable('S'),
    parent: clearable('ID'),
    'sms-number': clearable('E164'),
    'phone-country': text('US'),
    'pos-source': text('KIND:TENANT|none'),
    'billing-events': text(YES_NO),
    analytics: text(YES_NO),
    'retention-offer-analytics': text(YES_NO),
  },
  summary: 'Create or update an organization',
  details: [
    'Flags that are not given keep what is there. A new organization needs a name; its capabilities are no, its',
    'billing events yes, its phone country US. An empty --slug, --parent or --sms-number clears the setting.',
    `KIND is ${posKinds.slice(0, -1).join(', ')} or ${posKinds.at(-1) ?? ''}; TENANT is the vendor's tenant id, the value of the shared`,
    "source's tenant column, or the name of a data source of the gateway. none unties the organization.",
  ],
  operations: ['organizations.save'],
  run: async (context, { values }) => {
    // Flags are judged before anything is opened.
    const organizationId = organizationIdOf(values)
    const changes = changesOf(values)
    const service = await context.service()
    const { status, body } = await callWithFlags(settingFlags, () =>
      service.call('organizations.save', { params: { organizationId }, body: changes }),
    )
    const { stateDirectory } = service
    if (stateDirectory !== null && body.posSource !== null) makeLocalSource(stateDirectory, body.posSource)
    context.note(`${status === 201 ? 'Created' : 'Updated'} ${organizationId}.`)
  },
}

export const showOrganization: Command = {
  words: ['org', 'show'],
  positionals: ['ID'],
  flags: {},
  summary: "Print an organization's settings as JSON",
  details: [],
  operations: ['organizations.show'],
  run: async (context, { positionals: [organizationId = ''] }) => {
    const service = await context.service()
    const { body } = await service.call('organizations.show', { params: { organizationId } })
    context.out(JSON.stringify(body, null, 2))
  },
}

export const listOrganizations: Command = {
  words: ['org', 'list'],
  positionals: [],
  flags: {},
  summary: 'List the organizations by their id, each with its name',
  details: ['"org show ID" prints the settings of one.'],
  operations: ['organizations.list'],
  run: async (context) => {
    const service = await context.service()
    for await (const { organizationId, name } of itemsOf(service, 'organizations.list'))
      context.out(`${organizationId}  ${name}`)
  },
}

/** Throws what the service says when there is no organization that the flag names; nothing when it was not given. */
export async function checkOrganization(
  ...[context, { values }]: Parameters<Command['run']>
): Promise<string | undefined> {
  const organizationId = textOf(values, 'org')
  if (organizationId === undefined) return undefined
  const service = await context.service()
  await service.call('organizations.show', { params: { organizationId } })
  return organizationId
}

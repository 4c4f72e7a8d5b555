import { newOrganization, parentProblem } from '../../domain/operators/organization.ts'
import { posKinds } from '../../domain/pos/index.ts'
import { makeLocalSource } from '../local/pos-sources.ts'
import type { Command } from './command.ts'
import { organizationOf } from './context.ts'
import { CommandError, UsageError } from './errors.ts'
import { changesOf, organizationIdOf } from './organization-flags.ts'

const text = { type: 'string' } as const

export const createOrganization: Command = {
  words: ['org', 'create'],
  synopsis:
    '--id ID --name N [--slug S] [--parent ID] [--sms-number E164] [--phone-country US] [--pos-source KIND:TENANT|none] ' +
    '[--billing-events yes|no] [--analytics yes|no] [--retention-offer-analytics yes|no]',
  summary: 'Create or update an organization',
  details: [
    'Flags that are not given keep what is there. A new organization needs a name; its capabilities are no, its',
    'billing events yes, its phone country US. An empty --slug, --parent or --sms-number clears the setting.',
    `KIND is ${posKinds.slice(0, -1).join(', ')} or ${posKinds.at(-1) ?? ''}; TENANT is the vendor's tenant id, the value of the shared`,
    "source's tenant column, or the name of a data source of the gateway. none unties the organization.",
  ],
  options: {
    id: text,
    name: text,
    slug: text,
    parent: text,
    'sms-number': text,
    'phone-country': text,
    'pos-source': text,
    'billing-events': text,
    analytics: text,
    'retention-offer-analytics': text,
  },
  positionals: [],
  run: async (context, values) => {
    // Flags are judged before anything is opened.
    const organizationId = organizationIdOf(values)
    const changes = changesOf(values)
    const { administration } = await context.storage()
    const existing = await administration.findOrganization(organizationId)
    if (existing === null && changes.name === undefined)
      throw new UsageError('--name is missing: the organization is new')
    const base = existing ?? newOrganization(organizationId, changes.name ?? '')
    const organization = { ...base, ...changes }
    const outcome = await administration.saveOrganization(organization)
    if (outcome === 'slug_taken')
      throw new CommandError(`Another organization has the slug ${organization.slug ?? ''}.`)
    if (outcome === 'parent_missing')
      throw new CommandError(parentProblem(organizationId, organization.parentId ?? ''))
    if (context.localDirectory !== null && organization.posSource !== null)
      makeLocalSource(context.localDirectory, organization.posSource)
    context.note(`${existing === null ? 'Created' : 'Updated'} ${organizationId}.`)
  },
}

export const showOrganization: Command = {
  words: ['org', 'show'],
  synopsis: 'ID',
  summary: "Print an organization's settings as JSON",
  details: [],
  options: {},
  positionals: ['ID'],
  run: async (context, _values, [id = '']) => {
    context.out(JSON.stringify(await organizationOf(context, id), null, 2))
  },
}

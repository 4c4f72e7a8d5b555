import type { OperatorWorld } from '../../interface/world.ts'
import type { OperatorRequestOf } from '../../interface/serve.ts'
import { changeAsRead, stateReply } from '../../interface/versions.ts'
import { echoed } from '../../../bounds/echo.ts'
import { readPhone } from '../../../read/plan/read-phone.ts'
import type { ReplyOf } from '../../../record/operation/operation.ts'
import { errorReply, jsonReply, PRIVATE } from '../../../record/operation/reply.ts'
import { writtenResources } from '../../../resources/index.ts'
import { emailKey } from '../../../text/contact/email-address.ts'
import { toInstant } from '../../../text/instant.ts'
import { deleteOrganization } from '../../../whole/remove/delete-organization.ts'
import { erasePerson } from '../../../whole/remove/erase-person.ts'
import { findState, NOTHING_ENDS, shownState, unknownOrganization } from './organizations.ts'
import type { deleteOrganizationEndpoint, deleteRows, eraseContact } from './removals.ts'
import { ID_SEPARATOR, setRetention } from './removals.ts'

/** Answers `POST /operator/v1/organizations/{organizationId}/rows/{kind}/delete`. */
export async function serveDeleteRows(
  { params: { organizationId = '', kind = '' }, body: { ids }, change }: OperatorRequestOf<typeof deleteRows>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof deleteRows>> {
  const resource = writtenResources.find(({ collection }) => collection === kind)
  if (resource === undefined) return errorReply(404, `There is no kind of rows ${echoed(kind)} here.`)
  const keys = ids.map((id) => (resource.key.length === 1 ? [id] : id.split(ID_SEPARATOR)))
  const odd = keys.findIndex((key) => key.length !== resource.key.length)
  if (odd >= 0)
    return errorReply(
      400,
      `ids.${odd}: must be the values of ${resource.key.join(' and ')}, with a tab between.`,
    )
  if ((await world.administration.findOrganization(organizationId)) === null)
    return unknownOrganization(organizationId)
  await change.announce({ type: 'rows', kind, rows: ids.length })
  const outcome = await world.whole(organizationId).removeRows(kind, keys)
  switch (outcome.kind) {
    case 'removed':
      return jsonReply(200, { rows: outcome.rows }, PRIVATE)
    case 'unknown': {
      const shown = outcome.keys.map((key) => echoed(key.join(ID_SEPARATOR))).join(', ')
      return errorReply(
        409,
        `${organizationId} has no rows of ${kind} with these ids: ${shown}. Nothing was deleted.`,
      )
    }
    case 'importing':
      return errorReply(
        409,
        `An import (${outcome.importId}) is open, whose rows may refer to these. Finish or abort it before. Nothing was deleted.`,
      )
    case 'needed': {
      const by = outcome.by.map(({ collection, rows }) => `${rows} of ${collection}`).join(', ')
      return errorReply(409, `Other rows refer to these: ${by}. Nothing was deleted.`)
    }
  }
}

/** Answers `POST /operator/v1/organizations/{organizationId}/contacts/erase`. */
export async function serveEraseContact(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof eraseContact>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof eraseContact>> {
  const { contactIds, emails, phones: given, dryRun: isDryRun, next = null } = body
  if (contactIds.length + emails.length + given.length === 0)
    return errorReply(400, 'Name the person, by contactIds, emails or phones.')
  const organization = await world.administration.findOrganization(organizationId)
  if (organization === null) return unknownOrganization(organizationId)
  const phones: string[] = []
  for (const [index, text] of given.entries()) {
    const reading = await readPhone(text, organization.phoneCountry)
    if (reading.kind !== 'value') return errorReply(400, `phones.${index}: must be a valid phone number.`)
    phones.push(String(reading.value))
  }
  const dryRun = isDryRun ? ({ dryRun: true } as const) : {}
  await change.announce({ type: 'contacts', ids: contactIds, ...dryRun })
  const named = { contactIds, emailKeys: emails.map(emailKey), phones }
  const outcome = await erasePerson(organizationId, named, { from: next, isDryRun }, world)
  if ('unknown' in outcome)
    return errorReply(
      404,
      `${organizationId} has no contact ${outcome.unknown.map(echoed).join(', ')}. Nothing was erased.`,
    )
  if ('importId' in outcome)
    return errorReply(
      409,
      `An import (${outcome.importId}) is open, which may bring the person back. Finish or abort it before. Nothing was erased.`,
    )
  change.concerns({ type: 'contacts', ids: [...outcome.contactIds], ...dryRun })
  return jsonReply(200, { ...outcome, contactIds: [...outcome.contactIds] }, PRIVATE)
}

/** Answers `POST /operator/v1/organizations/{organizationId}/delete`. */
export async function serveDeleteOrganization(
  { params: { organizationId = '' }, body, change }: OperatorRequestOf<typeof deleteOrganizationEndpoint>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof deleteOrganizationEndpoint>> {
  if (body.confirm !== organizationId) return errorReply(400, 'confirm: must be the id of the organization.')
  if ((await world.moves.running(organizationId)) !== null)
    return errorReply(409, `${organizationId} is being moved. Delete it when "org show" names no move.`)
  await change.announce({ type: 'rows', kind: null, rows: 0 })
  const outcome = await deleteOrganization(organizationId, world)
  if (outcome === 'unknown') return unknownOrganization(organizationId)
  if (outcome === 'has_children')
    return errorReply(409, `${organizationId} is the parent of others. Delete or untie them before.`)
  const rows = Object.values(outcome.rows).reduce((sum, some) => sum + some, 0)
  change.concerns({ type: 'rows', kind: null, rows })
  return jsonReply(200, outcome, PRIVATE)
}

/** Answers `POST /operator/v1/organizations/{organizationId}/retention`. */
export async function serveSetRetention(
  { params: { organizationId = '' }, body, change, precondition }: OperatorRequestOf<typeof setRetention>,
  world: OperatorWorld,
): Promise<ReplyOf<typeof setRetention>> {
  const setting = await changeAsRead(setRetention, precondition, {
    read: () => findState(organizationId, world),
    shown: (found) => (found === null ? null : shownState(found)),
    write: async (found, isConditional) => {
      const settings = found?.settings ?? null
      await change.announce({ type: 'retention', ...(settings?.retention ?? NOTHING_ENDS), ...body })
      const now = toInstant(world.clock.nowMs())
      const seen = isConditional ? (settings ?? undefined) : undefined
      const outcome = await world.whole(organizationId).setRetention(body, now, seen)
      return outcome.kind === 'changed' ? 'overtaken' : { found, outcome }
    },
  })
  if ('refusal' in setting) return setting.refusal
  const { found, outcome } = setting.outcome
  if (outcome.kind !== 'set' || found === null) return unknownOrganization(organizationId)
  const { retention } = outcome
  change.concerns({ type: 'retention', ...retention })
  const settings = found.settings === null ? null : { ...found.settings, retention }
  return stateReply(setRetention, 200, retention, shownState({ ...found, settings }))
}

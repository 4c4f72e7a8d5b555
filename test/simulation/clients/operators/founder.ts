import { markOf, founded, organizationIds, limitedFormOf } from '../../setting.ts'
import type { Client } from '../client.ts'
import { importForm } from './operator.ts'

const PARENTS = [null, ...organizationIds, null] as const

/**
 * An operator who makes organizations, with and without a parent, gives them a form, and moves them under other parents,
 * whatever moves are under way.
 */
export async function foundMore(client: Client): Promise<void> {
  while (!client.isOver()) {
    const organizationId = client.decide.pick('organization', founded)
    await saveOrganization(organizationId, client)
    if (
      client.stored.organizationIds().includes(organizationId) &&
      client.decide.chance('replaces its form', 40)
    )
      await importForm(limitedFormOf(organizationId), organizationId, client)
    await client.rest()
  }
}

async function saveOrganization(organizationId: string, client: Client): Promise<void> {
  const { decide, stored } = client
  const parentId = decide.pick('parent', PARENTS)
  const wasMoving = stored.look('select 1 from moves where ended_at is null').length > 0
  const slug = `${organizationId}${String(decide.below('slug', 3))}`
  const settings = { name: markOf(organizationId), parentId, slug, smsNumber: '+12125550199' }
  const answer = await client.change(
    { action: 'organization.save', organizationId },
    { method: 'POST', path: `/operator/v1/organizations/${organizationId}`, body: JSON.stringify(settings) },
  )
  if (answer === null || answer.status >= 500) return
  if (answer.status !== 200 && answer.status !== 201 && answer.status !== 409) {
    client.violated('an organization can be saved', `${organizationId}: ${answer.status} ${answer.text}`)
    return
  }
  if (answer.status === 409) return
  const row = stored.rowOf(organizationId, 'organizations')
  if (row?.slug !== slug || row.parent_id !== parentId || row.name !== settings.name)
    client.violated(
      'an organization is saved as it was given',
      `${JSON.stringify(settings)}: ${JSON.stringify(row)}`,
    )
  client.happened(answer.status === 201 ? 'an organization is made' : 'an organization gets another parent')
  if (wasMoving) client.happened('an organization is saved during a move')
}

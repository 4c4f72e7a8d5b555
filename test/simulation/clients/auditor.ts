import type { Row } from '../engine/changes.ts'
import { organizationIds } from '../setting.ts'
import { bodyOf, type Client } from './client.ts'

const LISTS = ['organization', 'organizations', 'keys', 'sends', 'outbox', 'audit', 'secrets'] as const

/** An operator who reads everything that operators can read, and compares it with what is stored. */
export async function audit(client: Client): Promise<void> {
  while (!client.isOver()) {
    const organizationId = client.decide.pick('organization', organizationIds)
    const what = client.decide.pick('reads', LISTS)
    const path = {
      organization: `/operator/v1/organizations/${organizationId}`,
      organizations: '/operator/v1/organizations',
      keys: `/operator/v1/organizations/${organizationId}/keys?limit=100`,
      sends: `/operator/v1/organizations/${organizationId}/sends?limit=100`,
      outbox: `/operator/v1/outbox?limit=100&organizationId=${organizationId}`,
      audit: `/operator/v1/audit?limit=100&organizationId=${organizationId}`,
      secrets: '/operator/v1/secrets',
    }[what]
    await readList(what, path, organizationId, client)
    await client.rest()
  }
}

async function readList(
  what: (typeof LISTS)[number],
  path: string,
  organizationId: string,
  client: Client,
): Promise<void> {
  const { stored } = client
  const before = {
    keys: stored.rowsOf(organizationId, 'api_keys').map((row) => row.key_id),
    // One that is pending may have got its provider's id when it is shown.
    sends: stored
      .rowsOf(organizationId, 'sends')
      .map((row) => row.provider_id)
      .filter((id) => id !== null),
  }
  const answer = await client.send({ method: 'GET', path, key: client.operatorKey })
  if (answer === null || answer.status >= 500) return
  const lacks = (details: string) => {
    client.violated('operators are shown what is stored', `${path}: ${details}, ${answer.text.slice(0, 300)}`)
  }
  if (answer.status !== 200) {
    lacks(String(answer.status))
    return
  }
  const { data = [] } = bodyOf(answer) as { readonly data?: readonly Row[] }
  const hasAll = (values: readonly unknown[], field: string) =>
    values.every((value) => data.some((row) => row[field] === value))
  if (what === 'keys' && !hasAll(before.keys, 'keyId')) lacks(before.keys.join())
  // A page has at most a hundred rows.
  if (
    what === 'sends' &&
    before.sends.length < 100 &&
    data.length < 100 &&
    !hasAll(before.sends, 'providerId')
  )
    lacks(before.sends.map(String).join())
  const isForeign = data.some((row) => 'organizationId' in row && row.organizationId !== organizationId)
  if (what !== 'organizations' && isForeign) lacks('rows of others')
}

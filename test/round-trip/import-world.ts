import { importThroughService } from '../../host-worker/operator/client/import-client.ts'
import { sourceOf } from '../support/data/imports.ts'
import { Difference } from './difference.ts'
import type { JsonObject } from './values/drawn.ts'
import { fileOf } from './values/files.ts'
import type { Place } from './places.ts'
import type { World } from './world.ts'

/** Creates an organization in a place and returns a key for it. */
export async function createOrganization(
  organizationId: string,
  { operator, place }: Place,
): Promise<string> {
  const path = `/operator/v1/organizations/${organizationId}`
  const post = async (to: string, body: object): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' }
    const response = await operator('POST', to, { headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${to} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as JsonObject
  }
  await post(path, {
    name: organizationId,
    place,
    analytics: true,
    posSource: { kind: 'legacy_vendor', tenant: organizationId },
  })
  return String((await post(`${path}/keys`, {})).key)
}

/** Imports every file twice: the second time changes nothing. Returns the number of rows. */
export async function importRows(world: World, organizationId: string, { operator }: Place): Promise<number> {
  let total = 0
  for (const [kind, rows] of world.rows) {
    const source = sourceOf(
      fileOf(
        world.format,
        rows.map(({ given }) => given),
      ),
    )
    for (const changed of [rows.length, 0]) {
      const outcome = await importThroughService({
        organizationId,
        url: 'the service',
        call: operator,
        kind,
        format: world.format,
        source,
        onProgress: () => undefined,
      })
      if (outcome.kind === 'imported' && outcome.changed === changed) continue
      const first = outcome.kind === 'invalid' ? outcome.problems[0] : undefined
      const line = first === undefined ? undefined : rows[first.line - (world.format === 'csv' ? 2 : 1)]
      throw new Difference(
        `Importing ${rows.length} rows of ${kind}: ${JSON.stringify(outcome)}\n${JSON.stringify(line)}`,
      )
    }
    total += rows.length
  }
  return total
}

import type { DetailEndpoint, Endpoint } from '../../../domain/record/endpoint.ts'
import { writtenPosResources } from '../../../domain/pos/index.ts'
import { writtenResources } from '../../../domain/resources/index.ts'
import { reviews } from '../../../domain/resources/reviews.ts'
import type { Organization } from '../../../ports/organizations.ts'
import { sampleRow } from './sample-rows.ts'
import type { TestService } from '../services/service.ts'

/**
 * Creates an organization with sample rows in every collection, its point of sale included, and returns its key. All
 * these organizations share one point-of-sale system, which distinguishes them only by the tenant.
 * @param prefix a prefix of every id, so that the ids of two organizations differ
 */
export async function addSampleOrganization(
  service: TestService,
  organizationId: string,
  prefix: string,
  count: number,
  settings: Partial<Organization> = {},
): Promise<string> {
  const posSource = { kind: 'legacy_vendor', tenant: organizationId } as const
  const key = await service.addOrganization(organizationId, { posSource, ...settings })
  for (const resource of writtenResources) {
    const rows = Array.from({ length: count }, (_, index) => sampleRow(resource, index, prefix))
    await service.storage.tenant(organizationId).upsert(resource.collection, rows)
    service.clock.advance(1000)
  }
  await addRemovals(service, organizationId, prefix, count)
  for (const resource of writtenPosResources) {
    const rows = Array.from({ length: count }, (_, index) => sampleRow(resource, index, prefix))
    await service.pos.writer(posSource).upsert(resource.collection, rows)
  }
  return key
}

/** Reviews that were shown and are marked as deleted, so that the organization has removals and nothing else more. */
async function addRemovals(service: TestService, organizationId: string, prefix: string, count: number) {
  const rows = Array.from({ length: count }, (_, index) => ({
    ...sampleRow(reviews, count + index, prefix),
    isPreview: false,
  }))
  for (const isDeleted of [false, true])
    await service.storage.tenant(organizationId).upsert(
      reviews.collection,
      rows.map((row) => ({ ...row, isDeleted })),
    )
  service.clock.advance(1000)
}

/** The path of an endpoint with ids of sample rows. `idOf` makes an id for the field to which a parameter refers. */
export function samplePath(endpoint: Endpoint, idOf: (field: string, parameter: string) => string): string {
  return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const isOwn = endpoint.kind === 'detail' && name === endpoint.param
    return idOf(isOwn ? ownField(endpoint) : name, name)
  })
}

/** The field of a detail's own id. Its parameter may simply be called `id`. */
function ownField({ param, resource }: DetailEndpoint): string {
  return param === 'id' ? resource.idField : param
}

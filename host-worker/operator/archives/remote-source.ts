import { beginExport, readExport } from '../../../domain/operators/endpoints/organization/exports.ts'
import { calledSource } from '../../../domain/whole/archive/called-source.ts'
import type { ArchiveSource } from '../../../domain/whole/archive/source.ts'
import { repeated } from '../client/repeated.ts'
import type { OperatorService } from '../client/service/operator-service.ts'

/** An organization to archive, behind the operator interface. Its head must be read first. */
export function remoteSource(
  service: OperatorService,
  organizationId: string,
  withSecrets: boolean,
): ArchiveSource {
  const params = { organizationId }
  return calledSource({
    begin: async () =>
      (await repeated(() => service.call(beginExport, { params, body: { withSecrets } }))).body,
    read: async (body) => (await repeated(() => service.call(readExport, { params, body }))).body,
  })
}

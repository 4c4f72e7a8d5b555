import { beginExport, readExport } from '../../../domain/operators/endpoints/exports.ts'
import type { OrganizationFile } from '../../../domain/whole/archive/format.ts'
import { ORGANIZATION } from '../../../domain/whole/archive/format.ts'
import type { ArchiveSource } from '../../../domain/whole/archive/source.ts'
import { repeated } from '../client/repeated.ts'
import type { OperatorService } from '../client/operator-service.ts'

/** An organization to archive, behind the operator interface. Its head must be read first. */
export function remoteSource(
  service: OperatorService,
  organizationId: string,
  withSecrets: boolean,
): ArchiveSource {
  let token = ''
  const params = { organizationId }
  const lines: ArchiveSource['lines'] = async (file, after) => {
    const body = { token, file, after: after === null ? null : [...after] }
    return (await repeated(() => service.call(readExport, { params, body }))).body
  }
  return {
    async head() {
      const { body } = await repeated(() => service.call(beginExport, { params, body: { withSecrets } }))
      token = body.token
      return body
    },
    // Only the service writes this text.
    organization: async () => JSON.parse((await lines(ORGANIZATION, null)).lines) as OrganizationFile,
    lines,
  }
}

import { showOrganization } from '../../../../domain/operators/endpoints/organization/organizations.ts'
import { isSourceKind } from '../../../../adapters/pos-odbc/index.ts'
import { isKeptAtPos } from '../../../../domain/imports/kinds/kinds.ts'
import type { ImportOutcome, Transfer } from '../../../../domain/imports/file/transfer-file.ts'
import { CommandError } from '../../client/errors.ts'
import { importThroughService } from '../../client/import-client.ts'
import type { OperatorService } from '../../client/service/operator-service.ts'

/** Imports a file into an organization: through the service, or into the database of its gateway. */
export async function importInto(
  organizationId: string,
  transfer: Omit<Transfer, 'target'>,
  service: OperatorService,
): Promise<ImportOutcome> {
  if (isKeptAtPos(transfer.kind)) {
    const organization = (await service.call(showOrganization, { params: { organizationId } })).body
    if ('unanswered' in organization)
      throw new CommandError(`The database of the family of ${organizationId} does not answer.`)
    const { kind, tenant } = organization.posSource ?? { kind: '', tenant: '' }
    if (isSourceKind(kind)) {
      // Loaded on demand, because only imports into a gateway open a database of their own.
      const { importIntoGateway } = await import('./import-into-gateway.ts')
      const tied = { ...organization, posSource: { kind, tenant } }
      return importIntoGateway(tied, transfer, service.stateDirectory)
    }
  }
  return importThroughService({
    ...transfer,
    organizationId,
    url: service.url,
    call: (method, path, init) => service.send(method, path, init),
  })
}

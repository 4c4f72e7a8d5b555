import { showOrganization } from '../../../domain/operators/endpoints/organizations.ts'
import { isSourceKind } from '../../../adapters/pos-odbc/index.ts'
import { isPosKind } from '../../../domain/imports/kinds.ts'
import type { ImportOutcome, Transfer } from '../../../domain/imports/transfer-file.ts'
import { CommandError, Unavailable } from '../client/errors.ts'
import { importThroughService } from '../client/import-client.ts'
import type { OperatorService } from '../client/operator-service.ts'

/** Imports a file into an organization: through the service, or into the database of its gateway. */
export async function importInto(
  organizationId: string,
  transfer: Omit<Transfer, 'target'>,
  service: OperatorService,
): Promise<ImportOutcome> {
  if (isPosKind(transfer.kind)) {
    const organization = (await service.call(showOrganization, { params: { organizationId } })).body
    if ('unanswered' in organization)
      throw new CommandError(`The database of the family of ${organizationId} does not answer.`)
    const { kind, tenant } = organization.posSource ?? { kind: '', tenant: '' }
    if (isSourceKind(kind)) {
      // Loaded on demand: no other import needs a database of its own.
      const { importIntoGateway } = await import('./import-into-gateway.ts')
      const tied = { ...organization, posSource: { kind, tenant } }
      return importIntoGateway(tied, transfer, service.stateDirectory)
    }
  }
  return importThroughService({
    ...transfer,
    organizationId,
    call: (method, path, init) => service.send(method, path, init),
    isPassing: (rejection) => rejection instanceof Unavailable,
  })
}

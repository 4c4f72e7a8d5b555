import type { HandledOperation } from './access/serve-operation.ts'
import type { Api } from './create-api.ts'
import { createApi } from './create-api.ts'
import { serveContract } from './document/contract-endpoint.ts'
import { operatorTexts } from './document/operator-texts.ts'
import type { OperatorOperationId } from './operator-catalog.ts'
import { operatorEndpoints } from './operator-catalog.ts'
import { listAudit, serveAudit } from './operators/endpoints/audit.ts'
import { getOperatorContract } from './operators/endpoints/contract.ts'
import * as exports from './operators/endpoints/exports.ts'
import { checkForms, serveCheckForms } from './operators/endpoints/forms-check.ts'
import * as backups from './operators/endpoints/backups.ts'
import { getHealth, serveHealth } from './operators/endpoints/health.ts'
import * as imports from './operators/endpoints/imports.ts'
import * as operatorKeys from './operators/endpoints/operator-keys.ts'
import * as moves from './operators/endpoints/moves.ts'
import * as organizations from './operators/endpoints/organizations.ts'
import * as servedImports from './operators/endpoints/serve-imports.ts'
import * as keys from './operators/endpoints/keys.ts'
import { listOutbox, retryOutbox, serveOutbox, serveRetryOutbox } from './operators/endpoints/outbox.ts'
import * as organizationForms from './operators/endpoints/organization-forms.ts'
import * as removals from './operators/endpoints/removals.ts'
import * as restores from './operators/endpoints/restores.ts'
import * as servedRemovals from './operators/endpoints/serve-removals.ts'
import * as servedRestores from './operators/endpoints/serve-restores.ts'
import { getSecrets, serveSecrets } from './operators/endpoints/secrets.ts'
import * as sends from './operators/endpoints/sends.ts'
import * as serveKeys from './operators/endpoints/serve-keys.ts'
import * as submissions from './operators/endpoints/submissions.ts'
import { operated } from './operators/interface/serve.ts'
import type { OperatorWorld } from './operators/interface/world.ts'

/** The operations of the operator interface with their handlers, by id; see `api.ts` for the public interface. */
const operations: { readonly [Id in OperatorOperationId]: HandledOperation<Id, OperatorWorld> } = {
  'organizations.list': operated(organizations.listOrganizations, organizations.serveOrganizations),
  'organizations.show': operated(organizations.showOrganization, organizations.serveOrganization),
  'organizations.save': operated(organizations.saveOrganization, organizations.serveSaveOrganization),
  'moves.begin': operated(moves.beginMove, moves.serveBeginMove),
  'moves.show': operated(moves.showMove, moves.serveMove),
  'moves.abort': operated(moves.abortMove, moves.serveAbortMove),
  'exports.begin': operated(exports.beginExport, exports.serveBeginExport),
  'exports.read': operated(exports.readExport, exports.serveReadExport),
  'archives.format': operated(restores.archiveFormat, servedRestores.serveArchiveFormat),
  'restores.begin': operated(restores.beginRestore, servedRestores.serveBeginRestore),
  'restores.write': operated(restores.writeRestore, servedRestores.serveWriteRestore),
  'restores.finish': operated(restores.finishRestore, servedRestores.serveFinishRestore),
  'organizations.delete': operated(
    removals.deleteOrganizationEndpoint,
    servedRemovals.serveDeleteOrganization,
  ),
  'rows.delete': operated(removals.deleteRows, servedRemovals.serveDeleteRows),
  'contacts.erase': operated(removals.eraseContact, servedRemovals.serveEraseContact),
  'retention.set': operated(removals.setRetention, servedRemovals.serveSetRetention),
  'backups.run': operated(backups.runBackup, backups.serveRunBackup),
  'backups.list': operated(backups.listBackups, backups.serveBackups),
  'backups.read': operated(backups.readBackup, backups.serveReadBackup),
  'backups.remove': operated(backups.removeBackups, backups.serveRemoveBackups),
  'keys.issue': operated(keys.issueTenantKey, serveKeys.serveIssueTenantKey),
  'keys.list': operated(keys.listTenantKeys, serveKeys.serveTenantKeys),
  'platformKeys.issue': operated(keys.issuePlatformKey, serveKeys.serveIssuePlatformKey),
  'platformKeys.list': operated(keys.listPlatformKeys, serveKeys.servePlatformKeys),
  'keys.revoke': operated(keys.revokeKey, serveKeys.serveRevokeKey),
  'keys.rotate': operated(keys.rotateKeyEndpoint, serveKeys.serveRotateKey),
  'operatorKeys.issue': operated(operatorKeys.issueOperatorKeyEndpoint, operatorKeys.serveIssueOperatorKey),
  'operatorKeys.list': operated(operatorKeys.listOperatorKeys, operatorKeys.serveOperatorKeys),
  'operatorKeys.revoke': operated(operatorKeys.revokeOperatorKey, operatorKeys.serveRevokeOperatorKey),
  'imports.open': operated(imports.openImportEndpoint, servedImports.serveOpenImport),
  'imports.sendPart': operated(imports.sendImportPart, servedImports.serveSendImportPart),
  'imports.commit': operated(imports.commitImportEndpoint, servedImports.serveCommitImport),
  'imports.write': operated(imports.writeImport, servedImports.serveWriteImport),
  'imports.abort': operated(imports.abortImportEndpoint, servedImports.serveAbortImport),
  'imports.show': operated(imports.showImport, servedImports.serveShowImport),
  'imports.list': operated(imports.listImports, servedImports.serveImports),
  'forms.check': operated(checkForms, serveCheckForms),
  'organizationForms.list': operated(
    organizationForms.listOrganizationForms,
    organizationForms.serveOrganizationForms,
  ),
  'organizationForms.show': operated(
    organizationForms.showOrganizationForm,
    organizationForms.serveOrganizationForm,
  ),
  'organizationForms.save': operated(
    organizationForms.saveOrganizationForms,
    organizationForms.serveSaveForms,
  ),
  'organizationForms.publish': operated(
    organizationForms.publishOrganizationForm,
    organizationForms.servePublishForm,
  ),
  'submissions.list': operated(submissions.listSubmissions, submissions.serveSubmissions),
  'submissions.show': operated(submissions.showSubmission, submissions.serveSubmission),
  'outbox.list': operated(listOutbox, serveOutbox),
  'outbox.retry': operated(retryOutbox, serveRetryOutbox),
  'sends.list': operated(sends.listSends, sends.serveSends),
  'platformSends.list': operated(sends.listPlatformSends, sends.servePlatformSends),
  'audit.list': operated(listAudit, serveAudit),
  'secrets.status': operated(getSecrets, serveSecrets),
  'health.get': operated(getHealth, serveHealth),
  'operatorContract.get': operated(getOperatorContract, (request) =>
    serveContract(operatorEndpoints, request, operatorTexts),
  ),
}

/** The interface of operators, beside the public one. Its paths begin with `OPERATOR_PREFIX`. */
export const operatorApi: Api<OperatorWorld> = createApi<OperatorWorld>(
  operatorEndpoints,
  operations,
  async ({ id }) => {
    throw new Error(`The operator interface has no reads derived from records, but ${id} is one`)
  },
)

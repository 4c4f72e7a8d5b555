import { createApi, type Api } from './create-api.ts'
import { serveContract } from './document/contract-endpoint.ts'
import { operatorTexts } from './document/operator-texts.ts'
import { listAudit, serveAudit } from './operators/endpoints/service/audit.ts'
import { getOperatorContract } from './operators/endpoints/service/contract.ts'
import * as exports from './operators/endpoints/organization/exports.ts'
import { checkForms, serveCheckForms } from './operators/endpoints/forms/forms-check.ts'
import * as backups from './operators/endpoints/organization/backups.ts'
import { getHealth, serveHealth } from './operators/endpoints/service/health.ts'
import { listImportKinds, serveImportKinds } from './operators/endpoints/imports/import-kinds.ts'
import * as imports from './operators/endpoints/imports/imports.ts'
import * as operatorKeys from './operators/endpoints/keys/operator-keys.ts'
import * as moves from './operators/endpoints/organization/moves.ts'
import * as organizations from './operators/endpoints/organization/organizations.ts'
import * as keys from './operators/endpoints/keys/keys.ts'
import {
  listOutbox,
  retryOutbox,
  serveOutbox,
  serveRetryOutbox,
} from './operators/endpoints/service/outbox.ts'
import * as organizationForms from './operators/endpoints/forms/organization-forms.ts'
import * as removals from './operators/endpoints/organization/removals.ts'
import * as restores from './operators/endpoints/organization/restores.ts'
import { getSecrets, serveSecrets } from './operators/endpoints/keys/secrets.ts'
import * as sends from './operators/endpoints/service/sends.ts'
import * as submissions from './operators/endpoints/forms/submissions.ts'
import type { OperationEndpoint } from './record/operation.ts'
import { operated } from './operators/interface/serve.ts'
import type { OperatorWorld } from './operators/interface/world.ts'

/**
 * The operations of the operator interface, each with its handler, in the order of its document; see `api.ts` for the
 * public interface.
 */
const operations = [
  operated(organizations.listOrganizations, organizations.serveOrganizations),
  operated(organizations.showOrganization, organizations.serveOrganization),
  operated(organizations.saveOrganization, organizations.serveSaveOrganization),
  operated(moves.beginMove, moves.serveBeginMove),
  operated(moves.showMove, moves.serveMove),
  operated(moves.abortMove, moves.serveAbortMove),
  operated(exports.beginExport, exports.serveBeginExport),
  operated(exports.readExport, exports.serveReadExport),
  operated(restores.archiveFormat, restores.serveArchiveFormat),
  operated(restores.beginRestore, restores.serveBeginRestore),
  operated(restores.writeRestore, restores.serveWriteRestore),
  operated(restores.finishRestore, restores.serveFinishRestore),
  operated(removals.deleteOrganizationEndpoint, removals.serveDeleteOrganization),
  operated(removals.deleteRows, removals.serveDeleteRows),
  operated(removals.eraseContact, removals.serveEraseContact),
  operated(removals.setRetention, removals.serveSetRetention),
  operated(backups.runBackup, backups.serveRunBackup),
  operated(backups.listBackups, backups.serveBackups),
  operated(backups.readBackup, backups.serveReadBackup),
  operated(backups.removeBackups, backups.serveRemoveBackups),
  operated(backups.deleteBackup, backups.serveDeleteBackup),
  operated(keys.issueTenantKey, keys.serveIssueTenantKey),
  operated(keys.listTenantKeys, keys.serveTenantKeys),
  operated(keys.issuePlatformKey, keys.serveIssuePlatformKey),
  operated(keys.listPlatformKeys, keys.servePlatformKeys),
  operated(keys.revokeKey, keys.serveRevokeKey),
  operated(keys.rotateKeyEndpoint, keys.serveRotateKey),
  operated(operatorKeys.issueOperatorKeyEndpoint, operatorKeys.serveIssueOperatorKey),
  operated(operatorKeys.listOperatorKeys, operatorKeys.serveOperatorKeys),
  operated(operatorKeys.revokeOperatorKey, operatorKeys.serveRevokeOperatorKey),
  operated(imports.openImportEndpoint, imports.serveOpenImport),
  operated(imports.sendImportPart, imports.serveSendImportPart),
  operated(imports.commitImportEndpoint, imports.serveCommitImport),
  operated(imports.writeImport, imports.serveWriteImport),
  operated(imports.abortImportEndpoint, imports.serveAbortImport),
  operated(imports.showImport, imports.serveShowImport),
  operated(imports.listImports, imports.serveImports),
  operated(listImportKinds, serveImportKinds),
  operated(checkForms, serveCheckForms),
  operated(organizationForms.listOrganizationForms, organizationForms.serveOrganizationForms),
  operated(organizationForms.showOrganizationForm, organizationForms.serveOrganizationForm),
  operated(organizationForms.saveOrganizationForms, organizationForms.serveSaveForms),
  operated(organizationForms.publishOrganizationForm, organizationForms.servePublishForm),
  operated(submissions.listSubmissions, submissions.serveSubmissions),
  operated(submissions.showSubmission, submissions.serveSubmission),
  operated(listOutbox, serveOutbox),
  operated(retryOutbox, serveRetryOutbox),
  operated(sends.listSends, sends.serveSends),
  operated(sends.listPlatformSends, sends.servePlatformSends),
  operated(listAudit, serveAudit),
  operated(getHealth, serveHealth),
  operated(getSecrets, serveSecrets),
  operated(getOperatorContract, (request) => serveContract(declared, request, operatorTexts)),
]

/** The type of the declaration of each operation, for a client that is typed by them. */
export type OperatorOperation = (typeof operations)[number]['operation']

/** The declarations of the operator interface's operations. */
export const operatorEndpoints: readonly OperationEndpoint[] = operations.map(({ operation }) => operation)

const declared = async () => operatorEndpoints

/** The interface of operators, beside the public one. Its paths begin with `OPERATOR_PREFIX`. */
export const operatorApi: Api<OperatorWorld> = createApi<OperatorWorld>(operations)

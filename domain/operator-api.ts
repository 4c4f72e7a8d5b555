import { createApi, type Api } from './create-api.ts'
import { contractParts, serveContract } from './document/contract-endpoint.ts'
import { operatorTexts } from './document/operator-texts.ts'
import type { OperationEndpoint } from './record/operation.ts'
import { operated } from './operators/serve.ts'
import type { OperatorWorld } from './operators/world.ts'
import * as archives from './operators/archives.ts'
import * as audit from './operators/audit.ts'
import * as backups from './operators/backups.ts'
import * as forms from './operators/forms.ts'
import * as formVersions from './operators/form-versions.ts'
import * as formRestore from './operators/form-restore.ts'
import * as formsCheck from './operators/forms-check.ts'
import * as imports from './operators/imports.ts'
import * as keys from './operators/keys.ts'
import * as operatorKeys from './operators/operator-keys.ts'
import * as organizations from './operators/organizations.ts'
import * as outbox from './operators/outbox.ts'
import * as places from './operators/places.ts'
import * as removals from './operators/removals.ts'
import * as sends from './operators/sends.ts'
import * as service from './operators/service.ts'
import * as submissions from './operators/submissions.ts'
import * as webhooks from './operators/webhooks.ts'

const getOperatorContract = operated({
  id: 'operatorContract.get',
  method: 'GET',
  path: '/operator/v1/openapi.json',
  access: 'public',
  tag: 'Service',
  ...contractParts,
  answer: async (request) => serveContract(declared, request, operatorTexts),
})

const declared = async (): Promise<readonly OperationEndpoint[]> => operatorEndpoints

/** The operations of the operator interface, in the order of its document; see `api.ts` for the public interface. */
export const operatorEndpoints = [
  organizations.listOrganizations,
  organizations.showOrganization,
  organizations.saveOrganization,
  places.beginMove,
  places.showMove,
  places.abortMove,
  archives.beginExport,
  archives.readExport,
  archives.archiveFormat,
  archives.beginRestore,
  archives.writeRestore,
  archives.finishRestore,
  removals.deleteOrganizationEndpoint,
  removals.deleteRows,
  removals.eraseContact,
  removals.setRetention,
  backups.runBackup,
  backups.listBackups,
  backups.readBackup,
  backups.removeBackups,
  backups.deleteBackup,
  keys.issueTenantKey,
  keys.listTenantKeys,
  keys.issuePlatformKey,
  keys.listPlatformKeys,
  keys.revokeKey,
  keys.rotateKeyEndpoint,
  operatorKeys.issueOperatorKeyEndpoint,
  operatorKeys.listOperatorKeys,
  operatorKeys.revokeOperatorKey,
  imports.openImportEndpoint,
  imports.sendImportPart,
  imports.commitImportEndpoint,
  imports.writeImport,
  imports.abortImportEndpoint,
  imports.showImport,
  imports.listImports,
  imports.listImportKinds,
  formsCheck.checkForms,
  forms.listOrganizationForms,
  forms.showOrganizationForm,
  forms.saveOrganizationForms,
  forms.publishOrganizationForm,
  formVersions.listFormVersions,
  formVersions.showFormVersion,
  formRestore.restoreFormVersion,
  submissions.listSubmissions,
  submissions.showSubmission,
  submissions.countUnread,
  submissions.markSubmissions,
  outbox.listOutbox,
  outbox.retryOutbox,
  sends.listSends,
  sends.listPlatformSends,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.showWebhook,
  webhooks.updateWebhook,
  webhooks.rotateWebhook,
  webhooks.deleteWebhook,
  webhooks.testWebhook,
  webhooks.listDeliveries,
  webhooks.resendSince,
  webhooks.resendDelivery,
  audit.listAudit,
  service.getHealth,
  service.getSecrets,
  getOperatorContract,
]

/** The type of each operation, for a client that is typed by them. */
export type OperatorOperation = (typeof operatorEndpoints)[number]

/** The interface of operators, beside the public one. Its paths begin with `OPERATOR_PREFIX`. */
export const operatorApi: Api<OperatorWorld> = createApi<OperatorWorld>(operatorEndpoints)

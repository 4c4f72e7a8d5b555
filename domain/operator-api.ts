import { createApi, type Api } from './create-api.ts'
import { contractParts, serveContract } from './document/openapi.ts'
import { operatorTexts } from './document/operator-texts.ts'
import type { OperationEndpoint } from './record/operation.ts'
import { operated } from './operators/serve.ts'
import type { OperatorWorld } from './operators/world.ts'
import * as archives from './operators/archives.ts'
import * as audit from './operators/audit.ts'
import * as automations from './operators/automations.ts'
import * as saveAutomations from './operators/save-automations.ts'
import * as backups from './operators/backups.ts'
import * as forms from './operators/forms.ts'
import * as changeForms from './operators/change-forms.ts'
import * as formsCheck from './operators/forms-check.ts'
import * as imports from './operators/imports.ts'
import * as keys from './operators/keys.ts'
import * as operatorKeys from './operators/operator-keys.ts'
import * as organizations from './operators/organizations.ts'
import * as outbox from './operators/outbox.ts'
import * as outboxSummary from './operators/outbox-summary.ts'
import * as people from './operators/people.ts'
import * as places from './operators/places.ts'
import * as removals from './operators/removals.ts'

import * as service from './operators/service.ts'
import * as sessions from './operators/sessions.ts'
import * as signIn from './operators/sign-in.ts'
import * as submissions from './operators/submissions.ts'
import * as webhookDeliveries from './operators/webhook-deliveries.ts'
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

const getMe = signIn.meOperation(() => operatorEndpoints)

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
  people.listPeople,
  people.showPerson,
  people.savePerson,
  people.addPerson,
  people.removePerson,
  sessions.listPersonSessions,
  sessions.endPersonSessions,
  getMe,
  sessions.listOwnSessions,
  sessions.endOwnSession,
  sessions.endOwnSessions,
  imports.openImportEndpoint,
  imports.sendImportPart,
  imports.commitImportEndpoint,
  imports.writeImport,
  imports.abortImportEndpoint,
  imports.showImport,
  imports.listImports,
  service.listImportKinds,
  formsCheck.checkForms,
  forms.listOrganizationForms,
  forms.showOrganizationForm,
  changeForms.saveOrganizationForms,
  changeForms.publishOrganizationForm,
  forms.listFormVersions,
  forms.showFormVersion,
  changeForms.restoreFormVersion,
  automations.listOrganizationAutomations,
  automations.showOrganizationAutomation,
  saveAutomations.saveOrganizationAutomations,
  saveAutomations.setAutomationStatus,
  automations.testAutomationStep,
  submissions.listSubmissions,
  submissions.showSubmission,
  submissions.countUnread,
  submissions.markSubmissions,
  removals.deleteSubmissions,
  outbox.listOutbox,
  outboxSummary.summarizeOutbox,
  outbox.retryOutbox,
  outbox.listSends,
  outbox.listPlatformSends,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.showWebhook,
  webhooks.updateWebhook,
  webhooks.rotateWebhook,
  webhooks.deleteWebhook,
  webhookDeliveries.testWebhook,
  webhookDeliveries.listDeliveries,
  webhookDeliveries.resendSince,
  webhookDeliveries.resendDelivery,
  audit.listAudit,
  service.getHealth,
  service.getSecrets,
  getOperatorContract,
]

/**
 * Signing in and out, which needs no key. It belongs to the console and has its paths, so the document of the interface
 * only tells of it.
 */
export const signInEndpoints = [
  signIn.waysToSignIn,
  signIn.askToSignIn,
  signIn.openSession,
  signIn.closeSession,
]

/** The type of each operation, for a client that is typed by them. */
export type OperatorOperation = (typeof operatorEndpoints)[number]

/**
 * The interface of operators, beside the public one. Its paths begin with `/operator/`, and those of signing in with
 * `/console/`.
 */
export const operatorApi: Api<OperatorWorld> = createApi<OperatorWorld>([
  ...operatorEndpoints,
  ...signInEndpoints,
])

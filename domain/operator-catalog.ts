import { listAudit } from './operators/endpoints/audit.ts'
import { getOperatorContract } from './operators/endpoints/contract.ts'
import {
  issuePlatformKey,
  issueTenantKey,
  listPlatformKeys,
  listTenantKeys,
  revokeKey,
  rotateKeyEndpoint,
} from './operators/endpoints/keys.ts'
import { beginExport, readExport } from './operators/endpoints/exports.ts'
import { checkForms } from './operators/endpoints/forms-check.ts'
import { listBackups, readBackup, removeBackups, runBackup } from './operators/endpoints/backups.ts'
import { getHealth } from './operators/endpoints/health.ts'
import {
  abortImportEndpoint,
  commitImportEndpoint,
  listImports,
  openImportEndpoint,
  sendImportPart,
  showImport,
  writeImport,
} from './operators/endpoints/imports.ts'
import {
  issueOperatorKeyEndpoint,
  listOperatorKeys,
  revokeOperatorKey,
} from './operators/endpoints/operator-keys.ts'
import { abortMove, beginMove, showMove } from './operators/endpoints/moves.ts'
import {
  listOrganizationForms,
  publishOrganizationForm,
  saveOrganizationForms,
  showOrganizationForm,
} from './operators/endpoints/organization-forms.ts'
import { listSubmissions, showSubmission } from './operators/endpoints/submissions.ts'
import { listOutbox, retryOutbox } from './operators/endpoints/outbox.ts'
import {
  deleteOrganizationEndpoint,
  deleteRows,
  eraseContact,
  setRetention,
} from './operators/endpoints/removals.ts'
import { archiveFormat, beginRestore, finishRestore, writeRestore } from './operators/endpoints/restores.ts'
import { getSecrets } from './operators/endpoints/secrets.ts'
import { listPlatformSends, listSends } from './operators/endpoints/sends.ts'
import { listOrganizations, saveOrganization, showOrganization } from './operators/endpoints/organizations.ts'

/** Every endpoint of the operator interface, in the order of its document. */
export const operatorEndpoints = [
  listOrganizations,
  showOrganization,
  saveOrganization,
  beginMove,
  showMove,
  abortMove,
  beginExport,
  readExport,
  archiveFormat,
  beginRestore,
  writeRestore,
  finishRestore,
  deleteOrganizationEndpoint,
  deleteRows,
  eraseContact,
  setRetention,
  runBackup,
  listBackups,
  readBackup,
  removeBackups,
  issueTenantKey,
  listTenantKeys,
  issuePlatformKey,
  listPlatformKeys,
  revokeKey,
  rotateKeyEndpoint,
  issueOperatorKeyEndpoint,
  listOperatorKeys,
  revokeOperatorKey,
  openImportEndpoint,
  sendImportPart,
  commitImportEndpoint,
  writeImport,
  abortImportEndpoint,
  showImport,
  listImports,
  checkForms,
  listOrganizationForms,
  showOrganizationForm,
  saveOrganizationForms,
  publishOrganizationForm,
  listSubmissions,
  showSubmission,
  listOutbox,
  retryOutbox,
  listSends,
  listPlatformSends,
  listAudit,
  getHealth,
  getSecrets,
  getOperatorContract,
] as const

/** The ids of the operator interface's endpoints. Each has a handler. */
export type OperatorOperationId = (typeof operatorEndpoints)[number]['id']

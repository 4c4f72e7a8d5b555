import { getOperatorContract } from './operators/endpoints/contract.ts'
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
import { listOrganizations, saveOrganization, showOrganization } from './operators/endpoints/organizations.ts'

/** Every endpoint of the operator interface, in the order of its document. */
export const operatorEndpoints = [
  listOrganizations,
  showOrganization,
  saveOrganization,
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
  getHealth,
  getOperatorContract,
] as const

/** The ids of its endpoints, each of which has a handler. */
export type OperatorOperationId = (typeof operatorEndpoints)[number]['id']

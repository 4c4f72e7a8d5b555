import { preflightForm, submitForm } from '../forms/endpoints.ts'
import { getAutomationRun, listAutomationRuns, listRunsOfAutomation } from '../resources/automation-runs.ts'
import { getAutomation, listAutomations } from '../resources/automations.ts'
import { getContactList, listContactLists } from '../resources/contact-lists.ts'
import { getContact, listContacts } from '../resources/contacts.ts'
import { listFormSubmissions, listSubmissionsOfForm } from '../resources/form-submissions.ts'
import { getForm, listForms } from '../resources/forms.ts'
import { getSite, listSites } from '../resources/sites.ts'
import { getContract } from './contract-endpoint.ts'
import type { OperationEndpoint } from './endpoint.ts'

/** Every endpoint of the service, in the order of the contract document. */
export const endpoints = [
  listSites,
  getSite,
  listContacts,
  getContact,
  listContactLists,
  getContactList,
  listForms,
  getForm,
  listFormSubmissions,
  listSubmissionsOfForm,
  submitForm,
  preflightForm,
  listAutomations,
  getAutomation,
  listAutomationRuns,
  listRunsOfAutomation,
  getAutomationRun,
  getContract,
] as const

/** The ids of the endpoints that have a handler of their own. */
export type OperationId = Extract<(typeof endpoints)[number], OperationEndpoint>['id']

import { posEndpoints } from './pos/index.ts'
import { getAutomationRun, listAutomationRuns, listRunsOfAutomation } from './resources/automation-runs.ts'
import { getAutomation, listAutomations } from './resources/automations.ts'
import { getCancellationRecord, listCancellationRecords } from './resources/cancellation-records.ts'
import { getCase, listCases } from './resources/cases.ts'
import { getCheckoutLink, listCheckoutLinks } from './resources/checkout-links.ts'
import { getContactList, listContactLists } from './resources/contact-lists.ts'
import { getContact, listContacts } from './resources/contacts.ts'
import { listFormSubmissions, listSubmissionsOfForm } from './resources/form-submissions.ts'
import { getForm, listForms } from './resources/forms.ts'
import { analyzeLink, analyzeLinks } from './resources/link-analytics.ts'
import { getLink, listLinks } from './resources/links.ts'
import { listContactsOfList } from './resources/list-members.ts'
import { listMarketingSignups } from './resources/marketing-signups.ts'
import { getProduct, listProducts } from './resources/products.ts'
import { getPurchase, listPurchases } from './resources/purchases.ts'
import { listRemovals } from './resources/removals.ts'
import { listReviews } from './resources/reviews.ts'
import { getSite, listSites } from './resources/sites.ts'
import {
  getResponseOfSurvey,
  listResponsesOfSurvey,
  listSurveyResponses,
} from './resources/survey-responses.ts'
import { getSurvey, listSurveys } from './resources/surveys.ts'
import { getVoucherGroup, listVoucherGroups } from './resources/voucher-groups.ts'
import { listVoucherRedemptions } from './resources/voucher-redemptions.ts'
import { getVoucher, listVouchers, listVouchersOfGroup } from './resources/vouchers.ts'
import type { ReadEndpoint } from './record/endpoint.ts'

/** Every read of a canonical resource: served from its record, without a handler of its own. */
export const reads: readonly ReadEndpoint[] = [
  listSites,
  getSite,
  listProducts,
  getProduct,
  listCheckoutLinks,
  getCheckoutLink,
  listPurchases,
  getPurchase,
  listContacts,
  getContact,
  listContactLists,
  getContactList,
  listContactsOfList,
  listMarketingSignups,
  listForms,
  getForm,
  listFormSubmissions,
  listSubmissionsOfForm,
  listVouchers,
  getVoucher,
  listVoucherRedemptions,
  listVoucherGroups,
  getVoucherGroup,
  listVouchersOfGroup,
  listLinks,
  getLink,
  analyzeLinks,
  analyzeLink,
  listAutomations,
  getAutomation,
  listAutomationRuns,
  listRunsOfAutomation,
  getAutomationRun,
  listSurveys,
  getSurvey,
  listSurveyResponses,
  listResponsesOfSurvey,
  getResponseOfSurvey,
  listCases,
  getCase,
  listReviews,
  listCancellationRecords,
  getCancellationRecord,
  listRemovals,
  ...posEndpoints,
]

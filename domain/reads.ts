import { posEndpoints } from './pos/index.ts'
import {
  getAutomationRun,
  listAutomationRuns,
  listRunsOfAutomation,
} from './resources/automations/automation-runs.ts'
import { getAutomation, listAutomations } from './resources/automations/automations.ts'
import { getCancellationRecord, listCancellationRecords } from './resources/members/cancellation-records.ts'
import { getCase, listCases } from './resources/cases/cases.ts'
import { getCheckoutLink, listCheckoutLinks } from './resources/links/checkout-links.ts'
import { getContactList, listContactLists } from './resources/contacts/contact-lists.ts'
import { getContact, listContacts } from './resources/contacts/contacts.ts'
import { listFormSubmissions, listSubmissionsOfForm } from './resources/forms/form-submissions.ts'
import { getForm, listForms } from './resources/forms/forms.ts'
import { analyzeLink, analyzeLinks } from './resources/links/link-analytics.ts'
import { getLink, listLinks } from './resources/links/links.ts'
import { listContactsOfList } from './resources/contacts/list-members.ts'
import { listMarketingSignups } from './resources/contacts/marketing-signups.ts'
import { getProduct, listProducts } from './resources/sales/products.ts'
import { getPurchase, listPurchases } from './resources/sales/purchases.ts'
import { listRemovals } from './resources/removals.ts'
import { listReviews } from './resources/reviews.ts'
import { getSite, listSites } from './resources/sites.ts'
import {
  getResponseOfSurvey,
  listResponsesOfSurvey,
  listSurveyResponses,
} from './resources/surveys/survey-responses.ts'
import { getSurvey, listSurveys } from './resources/surveys/surveys.ts'
import { getVoucherGroup, listVoucherGroups } from './resources/sales/voucher-groups.ts'
import { listVoucherRedemptions } from './resources/sales/voucher-redemptions.ts'
import { getVoucher, listVouchers, listVouchersOfGroup } from './resources/sales/vouchers.ts'
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

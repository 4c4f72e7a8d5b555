import { utf8 } from '../../../domain/text/encoding.ts'
import type { OperatorService } from '../../operator/client/service/operator-service.ts'
import { importInto } from '../../operator/commands/imports/import-into.ts'
import { automationLines, listLines, listMemberLines } from './automations.ts'
import { caseLines } from './cases.ts'
import { demoContacts } from './people/contacts.ts'
import { formLines } from './forms.ts'
import { exitSurveyEventLines, retentionOfferEventLines } from './people/leaving.ts'
import { linkEventLines, linkLines } from './links.ts'
import { billingEventLines, membershipLines } from './people/memberships.ts'
import { checkoutLinkLines, productLines } from './sales/products.ts'
import { reviewLines } from './reviews.ts'
import { signupLines } from './people/signups.ts'
import { siteLines } from './sites.ts'
import { purchaseLines } from './sales/purchases.ts'
import { submissionLines } from './submissions.ts'
import { surveyLines, surveyResponseLines } from './surveys.ts'
import { redemptionLines, voucherGroupLines, voucherLines } from './sales/vouchers.ts'

type Lines = () => Iterable<object>

/** The demo's rows by import kind. A kind comes after those to which it refers. */
export const demoLines: readonly (readonly [kind: string, lines: Lines])[] = [
  ['sites', () => siteLines],
  ['products', () => productLines],
  ['checkout-links', () => checkoutLinkLines],
  ['contacts', demoContacts],
  ['contact-lists', () => listLines],
  ['list-members', () => listMemberLines(demoContacts())],
  ['marketing-signups', () => signupLines(demoContacts())],
  ['forms', () => formLines],
  ['form-submissions', () => submissionLines(demoContacts())],
  ['automations', () => automationLines],
  ['surveys', () => surveyLines],
  ['survey-responses', surveyResponseLines],
  ['cases', () => caseLines(demoContacts())],
  ['reviews', reviewLines],
  ['voucher-groups', () => voucherGroupLines],
  ['vouchers', voucherLines],
  ['voucher-redemptions', redemptionLines],
  ['purchases', purchaseLines],
  ['links', () => linkLines],
  ['link-events', linkEventLines],
  ['memberships', membershipLines],
  ['billing-events', billingEventLines],
  ['retention-offer-events', retentionOfferEventLines],
  ['exit-survey-events', exitSurveyEventLines],
]

/**
 * Imports lines by kind, in their order, as an operator would. Importing them again changes nothing. Throws when a row
 * is refused.
 */
export async function importLines(
  linesByKind: typeof demoLines,
  organizationId: string,
  service: OperatorService,
): Promise<void> {
  for (const [kind, lines] of linesByKind) {
    const source = { open: () => ndjson(lines()) }
    const file = { kind, format: 'ndjson', source, onProgress: () => undefined } as const
    const outcome = await importInto(organizationId, file, service)
    if (outcome.kind !== 'imported')
      throw new Error(`The demo's ${kind} were refused: ${JSON.stringify(outcome)}`)
  }
}

async function* ndjson(lines: Iterable<object>): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8(`${JSON.stringify(line)}\n`)
}

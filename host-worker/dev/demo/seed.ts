import type { ImportTools } from '../../../domain/imports/kinds.ts'
import { importKind } from '../../../domain/imports/kinds.ts'
import type { ImportRequest } from '../../../domain/imports/run-import.ts'
import { runImport } from '../../../domain/imports/run-import.ts'
import type { Secrets } from '../../../domain/access/secrets.ts'
import { utf8 } from '../../../domain/text/encoding.ts'
import type { TenantWriter } from '../../../ports/tenant-writer.ts'
import { formPasswords } from '../../operator/form-passwords.ts'
import { systemClock } from '../../system.ts'
import { automationLines, listLines, listMemberLines } from './automations.ts'
import { caseLines } from './cases.ts'
import { demoContacts } from './contacts.ts'
import { formLines } from './forms.ts'
import { demoOrganization } from './index.ts'
import { exitSurveyEventLines, retentionOfferEventLines } from './leaving.ts'
import { linkEventLines, linkLines } from './links.ts'
import { billingEventLines, membershipLines } from './memberships.ts'
import { checkoutLinkLines, productLines } from './products.ts'
import { reviewLines } from './reviews.ts'
import { signupLines } from './signups.ts'
import { siteLines } from './sites.ts'
import { purchaseLines } from './purchases.ts'
import { submissionLines } from './submissions.ts'
import { surveyLines, surveyResponseLines } from './surveys.ts'
import { redemptionLines, voucherGroupLines, voucherLines } from './vouchers.ts'

type Lines = () => Iterable<object>

/** The demo's rows by import kind, in an order in which references are satisfied. */
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

/** Imports the demo's rows as an operator would. Importing them again changes nothing. Throws when a row is refused. */
export async function seedDemo(writer: TenantWriter, secrets: Secrets): Promise<void> {
  const given = async () => secrets
  const tools = { passwords: formPasswords(given), clock: systemClock, secrets: given }
  await importLines(demoLines, { organization: demoOrganization, writer }, tools)
}

/** Imports lines by kind, in their order. Throws when a row is refused. */
export async function importLines(
  linesByKind: typeof demoLines,
  into: Pick<ImportRequest, 'organization' | 'writer'>,
  tools: ImportTools,
): Promise<void> {
  for (const [name, lines] of linesByKind) {
    const kind = importKind(name, tools)
    if (kind === null) throw new Error(`There is no import kind ${name}`)
    const outcome = await runImport({
      ...into,
      kind,
      format: 'ndjson',
      source: { open: () => ndjson(lines()) },
      onProgress: () => undefined,
    })
    if (outcome.kind !== 'imported')
      throw new Error(`The demo's ${name} were refused: ${JSON.stringify(outcome)}`)
  }
}

async function* ndjson(lines: Iterable<object>): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield utf8(`${JSON.stringify(line)}\n`)
}

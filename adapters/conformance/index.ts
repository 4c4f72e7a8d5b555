import type { MakeStorage, StorageCase } from './fixtures.ts'
import { type MakePos, type PosCase, posFilterCases, posPagingCases } from './pos.ts'
import { posDetailCases, posValueCases } from './pos-values.ts'
import { analyticsCases } from './analytics.ts'
import { alternateKeyCases, listMemberCases, listCases } from './lists.ts'
import { automationBoundCases, automationRunCases } from './automations.ts'
import { cancellationRecordCases } from './memberships.ts'
import { upsertCases, valueCases } from './upsert.ts'
import { changeCases, operatorChangeCases } from './changes.ts'
import { completedCountCases, voucherCountCases, linkCountCases } from './counts.ts'
import type { Case } from './cases.ts'
import { digestCases } from './digests.ts'
import { spamCases } from './spam.ts'
import { contactMatchingCases, submissionCases } from './submissions.ts'
import { nullOrderCases, pagingCases } from './paging.ts'
import { groupCases } from './lists.ts'
import { importCases } from './imports.ts'
import { isolationCases, organizationCases, keyAttributeCases, keyCases } from './keys.ts'
import { operatorKeyCases } from './operator-keys.ts'
import { peopleCases } from './people.ts'
import { outboxCases } from './outbox.ts'
import { sendCases } from './sends.ts'
import { shortPageCases } from './short-pages.ts'
import { removalCases, erasureCases } from './removals.ts'
import { reviewCases } from './reviews.ts'
import { restorationCases } from './restorations.ts'
import { webhookCases } from './webhooks.ts'

/**
 * Cases that prove what every adapter of storage and of a point of sale promises. Any test runner can run them, because
 * nothing here depends on one. To test your own adapter, run each case of `storageSuite` with a function that makes a
 * fresh, empty store, or each case of `posSuite` with one that makes a fresh, empty system.
 */

export type { MakePos, PosCase, PosInstance } from './pos.ts'
export type { MakeStorage, SavedTenant, SeenOutboxEntry, StorageCase, StorageInstance } from './fixtures.ts'

export type { ExitSurveyCase, ExitSurveyInstance, MakeExitSurvey, SurveyEvent } from './analytics.ts'
export { exitSurveySuite } from './analytics.ts'

/** Every case, by topic. */
export const storageSuite: readonly StorageCase[] = [
  ...keyCases,
  ...keyAttributeCases,
  ...operatorKeyCases,
  ...operatorChangeCases,
  ...peopleCases,
  ...organizationCases,
  ...pagingCases,
  ...shortPageCases,
  ...nullOrderCases,
  ...groupCases,
  ...upsertCases,
  ...changeCases,
  ...importCases,
  ...listCases,
  ...listMemberCases,
  ...reviewCases,
  ...removalCases,
  ...erasureCases,
  ...restorationCases,
  ...completedCountCases,
  ...alternateKeyCases,
  ...voucherCountCases,
  ...linkCountCases,
  ...cancellationRecordCases,
  ...analyticsCases,
  ...submissionCases,
  ...spamCases,
  ...digestCases,
  ...contactMatchingCases,
  ...outboxCases,
  ...sendCases,
  ...automationBoundCases,
  ...automationRunCases,
  ...webhookCases,
  ...isolationCases,
  ...valueCases,
]

/** Every case of a point-of-sale source, by topic. */
export const posSuite: readonly PosCase[] = [
  ...posPagingCases,
  ...posFilterCases,
  ...posDetailCases,
  ...posValueCases,
]

/** Names of cases that an adapter cannot pass yet, each with the reason. */
type SkippedCases = Readonly<Record<string, string>>

/**
 * The functions of a test runner: `test` registers a test that passes or fails, `skip` one that is left out, with the
 * reason.
 */
export interface CaseRunner {
  test(name: string, run: () => Promise<void>): void
  skip(name: string, reason: string): void
}

/**
 * Registers the storage suite with a test runner. Throws for a skipped name that no case has, because it skips nothing.
 */
export function registerStorageSuite(
  runner: CaseRunner,
  make: MakeStorage,
  skipped: SkippedCases = {},
): void {
  register(storageSuite, runner, make, skipped)
}

/** Registers the suite of point-of-sale sources in the same way. */
export function registerPosSuite(runner: CaseRunner, make: MakePos, skipped: SkippedCases = {}): void {
  register(posSuite, runner, make, skipped)
}

function register<Make>(
  suite: readonly Case<Make>[],
  runner: CaseRunner,
  make: Make,
  skipped: SkippedCases,
): void {
  const names = new Set(suite.map(({ name }) => name))
  for (const name of Object.keys(skipped))
    if (!names.has(name)) throw new Error(`There is no case "${name}" to skip`)
  for (const one of suite) {
    const reason = skipped[one.name]
    if (reason === undefined) runner.test(one.name, () => one.run(make))
    else runner.skip(one.name, reason)
  }
}

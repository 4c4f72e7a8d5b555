/**
 * Cases that prove what every adapter of storage and of a point of sale promises. Any test runner can run them, because
 * nothing here depends on one. To test your own adapter, run each case of `storageSuite` with a function that makes a
 * fresh, empty store, or each case of `posSuite` with one that makes a fresh, empty system.
 */
import type { MakeStorage, StorageCase } from './case.ts'
import type { MakePos, PosCase } from './pos/pos-case.ts'
import { posDetailCases } from './pos/pos-details.ts'
import { posFilterCases } from './pos/pos-filters.ts'
import { posPagingCases } from './pos/pos-paging.ts'
import { posValueCases } from './pos/pos-values.ts'
import { analyticsCases } from './analytics/analytics.ts'
import { alternateKeyCases } from './records/alternate-keys.ts'
import { automationBoundCases } from './submissions/automation-bounds.ts'
import { automationRunCases } from './submissions/automation-runs.ts'
import { cancellationRecordCases } from './records/cancellation-records.ts'
import { changeCases } from './records/changes.ts'
import { completedCountCases } from './counts/completed-counts.ts'
import { contactMatchingCases } from './submissions/contact-matching.ts'
import { voucherCountCases } from './counts/voucher-counts.ts'
import { groupCases } from './records/groups.ts'
import { importCases } from './records/imports.ts'
import { isolationCases } from './access/isolation.ts'
import { keyAttributeCases } from './access/key-attributes.ts'
import { keyCases } from './access/keys.ts'
import { nullOrderCases } from './records/null-orders.ts'
import { operatorChangeCases } from './access/operator-changes.ts'
import { operatorKeyCases } from './access/operator-keys.ts'
import { organizationCases } from './access/organizations.ts'
import { outboxCases } from './submissions/outbox.ts'
import { sendCases } from './submissions/sends.ts'
import { pagingCases } from './records/paging.ts'
import { shortPageCases } from './records/short-pages.ts'
import { linkCountCases } from './counts/link-counts.ts'
import { listMemberCases } from './records/list-members.ts'
import { listCases } from './records/product-lists.ts'
import { removalCases } from './records/removals.ts'
import { reviewCases } from './records/reviews.ts'
import { submissionCases } from './submissions/submissions.ts'
import { erasureCases } from './whole/erasures.ts'
import { restorationCases } from './whole/restorations.ts'
import { upsertCases } from './records/upsert.ts'
import { valueCases } from './records/values.ts'

export type { MakePos, PosCase, PosInstance } from './pos/pos-case.ts'
export type { MakeStorage, SavedTenant, SeenOutboxEntry, StorageCase, StorageInstance } from './case.ts'

export type {
  ExitSurveyCase,
  ExitSurveyInstance,
  MakeExitSurvey,
  SurveyEvent,
} from './analytics/exit-survey.ts'
export { exitSurveySuite } from './analytics/exit-survey.ts'

/** Every case, by topic. */
export const storageSuite: readonly StorageCase[] = [
  ...keyCases,
  ...keyAttributeCases,
  ...operatorKeyCases,
  ...operatorChangeCases,
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
  ...contactMatchingCases,
  ...outboxCases,
  ...sendCases,
  ...automationBoundCases,
  ...automationRunCases,
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
export type SkippedCases = Readonly<Record<string, string>>

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

interface Case<Make> {
  readonly name: string
  run(make: Make): Promise<void>
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

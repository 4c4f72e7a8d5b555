/**
 * What every storage adapter promises, as cases that any test runner can run: nothing here knows one. An adapter of
 * your own proves itself by running each of `storageSuite` with a function that makes a fresh, empty store.
 */
import type { MakeStorage, StorageCase } from './case.ts'
import { analyticsCases } from './analytics.ts'
import { alternateKeyCases } from './alternate-keys.ts'
import { automationRunCases } from './automation-runs.ts'
import { cancellationRecordCases } from './cancellation-records.ts'
import { completedCountCases } from './completed-counts.ts'
import { contactMatchingCases } from './contact-matching.ts'
import { voucherCountCases } from './voucher-counts.ts'
import { groupCases } from './groups.ts'
import { isolationCases } from './isolation.ts'
import { keyCases } from './keys.ts'
import { nullOrderCases } from './null-orders.ts'
import { organizationCases } from './organizations.ts'
import { outboxCases } from './outbox.ts'
import { pagingCases } from './paging.ts'
import { linkCountCases } from './link-counts.ts'
import { listMemberCases } from './list-members.ts'
import { listCases } from './product-lists.ts'
import { reviewCases } from './reviews.ts'
import { submissionCases } from './submissions.ts'
import { upsertCases } from './upsert.ts'
import { valueCases } from './values.ts'

export type { MakeStorage, SeenOutboxEntry, StorageCase, StorageInstance } from './case.ts'

export type { ExitSurveyCase, ExitSurveyInstance, MakeExitSurvey, SurveyEvent } from './exit-survey.ts'
export { exitSurveySuite } from './exit-survey.ts'

/** Every case, by topic. */
export const storageSuite: readonly StorageCase[] = [
  ...keyCases,
  ...organizationCases,
  ...pagingCases,
  ...nullOrderCases,
  ...groupCases,
  ...upsertCases,
  ...listCases,
  ...listMemberCases,
  ...reviewCases,
  ...completedCountCases,
  ...alternateKeyCases,
  ...voucherCountCases,
  ...linkCountCases,
  ...cancellationRecordCases,
  ...analyticsCases,
  ...submissionCases,
  ...contactMatchingCases,
  ...outboxCases,
  ...automationRunCases,
  ...isolationCases,
  ...valueCases,
]

/** Names of cases that an adapter cannot pass yet, each with the reason. */
export type SkippedCases = Readonly<Record<string, string>>

/** What a runner needs: `test` registers a passing or failing test, `skip` one that is left out and says why. */
export interface CaseRunner {
  test(name: string, run: () => Promise<void>): void
  skip(name: string, reason: string): void
}

/** Registers the suite with a test runner. Throws for a skipped name that no case has: it would hide nothing. */
export function registerStorageSuite(
  runner: CaseRunner,
  make: MakeStorage,
  skipped: SkippedCases = {},
): void {
  const names = new Set(storageSuite.map(({ name }) => name))
  for (const name of Object.keys(skipped))
    if (!names.has(name)) throw new Error(`There is no case "${name}" to skip`)
  for (const one of storageSuite) {
    const reason = skipped[one.name]
    if (reason === undefined) runner.test(one.name, () => one.run(make))
    else runner.skip(one.name, reason)
  }
}

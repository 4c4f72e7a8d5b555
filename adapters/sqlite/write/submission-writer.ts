import type { Clock } from '../../../ports/platform.ts'
import type { SubmissionWriter } from '../../../ports/records.ts'
import { bind, db, slot, template } from '../statement/compiler.ts'
import { saveSubmission, type TenantExecutors } from './submission.ts'
import { nowOf } from './write-clock.ts'

const replaceHash = template(() =>
  db
    .updateTable('forms')
    .set({ password_hash: slot('to') })
    .where('organization_id', '=', slot('organizationId'))
    .where('form_id', '=', slot('formId'))
    .where('password_hash', '=', slot('from')),
)

/** Opens one organization for submissions of its forms. */
export function createSubmissionWriter(
  executors: TenantExecutors,
  clock: Clock,
  organizationId: string,
): SubmissionWriter {
  return {
    saveSubmission: (submission) => saveSubmission(executors, organizationId, submission, nowOf(clock)),

    async replacePasswordHash(formId, from, to) {
      await executors.executor.batch([bind(replaceHash, { organizationId, formId, from, to })])
    },
  }
}

import * as v from 'valibot'
import { component, described } from '../record/meaning.ts'
import { failureCodes } from './result.ts'

/** The JSON answer to a submission that was saved, or that filled the bot trap. */
export const SubmissionReceipt = component(
  'SubmissionReceipt',
  v.pipe(
    described(
      v.strictObject({
        ok: described(v.literal(true), 'Always true.'),
        submissionId: v.optional(described(v.string(), 'Absent for a filled honeypot.')),
        title: v.optional(v.string()),
        message: v.optional(v.string()),
        redirectUrl: v.optional(v.pipe(v.string(), v.url())),
      }),
      'Confirms that the submission was persisted, not that notifications were delivered.',
    ),
    v.examples([
      {
        ok: true,
        submissionId: 'sub_2mJ8sQ4vZ1xN7bTcR5wKye',
        title: 'Thank you',
        message: 'We will be in touch.',
      },
      { ok: true, message: 'Thank you.' },
    ]),
  ),
)
export type SubmissionReceipt = v.InferOutput<typeof SubmissionReceipt>

/** The JSON answer to a submission that was not saved. */
export const SubmissionError = component(
  'SubmissionError',
  v.pipe(
    described(
      v.strictObject({
        ok: described(v.literal(false), 'Always false.'),
        code: v.picklist(failureCodes),
        error: v.string(),
        fieldErrors: v.optional(described(v.record(v.string(), v.string()), 'Messages by saved field id.')),
      }),
      'Why a submission was not taken.',
    ),
    v.examples([
      {
        ok: false,
        code: 'validation_error',
        error: 'One value needs attention.',
        fieldErrors: { email: 'Enter a valid email address.' },
      },
    ]),
  ),
)
export type SubmissionError = v.InferOutput<typeof SubmissionError>

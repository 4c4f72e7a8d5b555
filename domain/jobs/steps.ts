import * as v from 'valibot'
import { isEmailAddress } from '../text/email-address.ts'

/** The word for the contact of the run, as the recipient of an email step. */
export const RUN_CONTACT = 'contact'

/** Most steps of an automation: a run of them all must end within a few leases. */
const STEPS_MAX = 100
const SUBJECT_MAX_LENGTH = 998

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const identifier = v.pipe(text, v.maxLength(200))

const SendEmail = v.strictObject({
  type: v.literal('send_email'),
  to: v.pipe(
    v.string(),
    v.check((to) => to === RUN_CONTACT || isEmailAddress(to), `must be "${RUN_CONTACT}" or an email address`),
  ),
  subject: v.pipe(
    text,
    v.maxLength(SUBJECT_MAX_LENGTH),
    v.check((subject) => !/\p{Cc}/u.test(subject), 'must not contain control characters'),
  ),
  html: text,
})
const SendSms = v.strictObject({ type: v.literal('send_sms'), body: text })
const AddToList = v.strictObject({ type: v.literal('add_to_list'), listId: identifier })
const AddTag = v.strictObject({ type: v.literal('add_tag'), tag: text })

/** One thing that an automation does. */
export const Step = v.variant('type', [SendEmail, SendSms, AddToList, AddTag])
export type Step = v.InferOutput<typeof Step>

/** The steps of an automation, executed in order. */
export const Steps = v.pipe(v.array(Step), v.maxLength(STEPS_MAX, `must be at most ${STEPS_MAX} steps`))

/** Whether stored steps send a text message. Steps that are no such thing do not. */
export function sendsText(stored: unknown): boolean {
  const steps = v.safeParse(Steps, stored)
  return steps.success && steps.output.some(({ type }) => type === 'send_sms')
}

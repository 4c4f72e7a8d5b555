import * as v from 'valibot'
import { HEADER_MAX_LENGTH } from '../messaging/sender.ts'
import { IdInput } from '../record/field.ts'
import { readEmailAddress } from '../text/typed-text.ts'

/** The word that stands for the run's contact as the recipient of an email step. */
export const RUN_CONTACT = 'contact'

/** The maximum number of steps of an automation: a run of all of them must end within a few leases. */
const STEPS_MAX = 100

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'))

export const SendEmail = v.strictObject({
  type: v.literal('send_email'),
  to: v.pipe(
    v.string(),
    v.check(
      (to) => to === RUN_CONTACT || readEmailAddress(to) !== null,
      `must be "${RUN_CONTACT}" or an email address`,
    ),
  ),
  subject: v.pipe(
    text,
    v.maxLength(HEADER_MAX_LENGTH),
    v.check((subject) => !/\p{Cc}/u.test(subject), 'must not contain control characters'),
  ),
  html: text,
})
export const SendSms = v.strictObject({ type: v.literal('send_sms'), body: text })
const AddToList = v.strictObject({ type: v.literal('add_to_list'), listId: IdInput })
const AddTag = v.strictObject({ type: v.literal('add_tag'), tag: text })

/** One step of an automation. */
export const Step = v.variant('type', [SendEmail, SendSms, AddToList, AddTag])
export type Step = v.InferOutput<typeof Step>

/** The steps of an automation, executed in order. */
export const Steps = v.pipe(v.array(Step), v.maxLength(STEPS_MAX, `must be at most ${STEPS_MAX} steps`))
export type Steps = v.InferOutput<typeof Steps>

/** A kind of message that an automation sends to the contact of a run. */
export type ContactMessage = 'email' | 'text message'

/** What stored steps send to the contact. Nothing for stored JSON that is not a valid list of steps. */
export function contactMessages(stored: unknown): readonly ContactMessage[] {
  const reading = v.safeParse(Steps, stored)
  const steps = reading.success ? reading.output : []
  return [
    ...(steps.some((step) => step.type === 'send_email' && step.to === RUN_CONTACT)
      ? ['email' as const]
      : []),
    ...(steps.some(({ type }) => type === 'send_sms') ? ['text message' as const] : []),
  ]
}

import type { OutboxEntry, FormDefinition } from '../../ports/records.ts'
import { listOf } from '../text/json.ts'
import { deliveryAddress, emailKey } from '../text/email-address.ts'
import { NOTIFICATION_EMAILS_MAX } from './language/definition.ts'

/** Kind of the outbox entry that sends one notification email. */
export const NOTIFICATION_EMAIL = 'notification_email'

/** Kind of the outbox entry that runs an automation. The store writes it, together with the submission. */
export const AUTOMATION_RUN = 'automation_run'

/**
 * Kind of the outbox entry that tells a webhook of an event. The store writes it, together with what it tells of, under an
 * id that begins like this.
 */
export const WEBHOOK_DELIVERY = 'webhook_delivery'
export const DELIVERY_PREFIX = 'whd_'

/** Kind of the outbox entry that tells whoever answers for an organization of something that failed. */
export const ALERT_EMAIL = 'alert_email'

/** Payload of a notification email: the ids with which the answers can be found, never the answers themselves. */
interface NotificationPayload {
  readonly submissionId: string
  readonly formId: string
  /** The recipient, as it is sent to. */
  readonly to: string
}

/**
 * The outbox entries of a saved submission: one email to each distinct notification address, to the first of them when a
 * form has more than it may have, as one that was stored before there was a limit. Their ids begin with the
 * submission's, like those of runs, so that what became of a submission can be found.
 */
export function outboxOf(definition: FormDefinition, submissionId: string): readonly OutboxEntry[] {
  const recipients = new Map<string, string>()
  for (const address of listOf(definition.notificationEmails).filter((one) => typeof one === 'string')) {
    const key = emailKey(address)
    if (!recipients.has(key)) recipients.set(key, deliveryAddress(address))
    if (recipients.size === NOTIFICATION_EMAILS_MAX) break
  }
  return [...recipients.values()].map((to, index) => ({
    outboxId: `obx_${submissionId}_${index + 1}`,
    kind: NOTIFICATION_EMAIL,
    payload: { submissionId, formId: definition.formId, to } satisfies NotificationPayload,
  }))
}

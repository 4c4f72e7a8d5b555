import type { OutboxEntry, FormDefinition } from '../../ports/records.ts'
import { listOf } from '../text/encoding.ts'
import { deliveryAddress, emailKey } from '../text/typed-text.ts'
import { NOTIFICATION_EMAILS_MAX } from './language/definition.ts'

/** Kind of the outbox entry that sends one notification email. */
export const NOTIFICATION_EMAIL = 'notification_email'

/**
 * Kind of the outbox entry that gathers submissions of a form while more come than are told of one by one. The store
 * writes it. Its work is one notification email to each address, of all that it has gathered.
 */
export const NOTIFICATION_DIGEST = 'notification_digest'
/** How many submissions of a form are told of one by one within any time of this length, in ms. */
export const SINGLES_MAX = 20
export const DIGEST_MS = 600_000
/** How many submissions a digest names. */
export const DIGEST_NAMED_MAX = 50

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

/**
 * The outbox entries of a saved submission. Their ids contain the submission's, like those of runs, so that what became of
 * a submission can be found.
 */
export function outboxOf(definition: FormDefinition, submissionId: string): readonly OutboxEntry[] {
  return notificationsOf(definition, submissionId, { submissionId, formId: definition.formId })
}

/**
 * One email to each distinct notification address of a form, to the first of them when it has more than it may have, as
 * one that was stored before there was a limit.
 * @param of what the entries' ids contain
 * @param payload the ids with which the answers can be found, never the answers themselves; the recipient is added
 */
export function notificationsOf(
  definition: FormDefinition,
  of: string,
  payload: Readonly<Record<string, unknown>>,
): readonly OutboxEntry[] {
  const recipients = new Map<string, string>()
  for (const address of listOf(definition.notificationEmails).filter((one) => typeof one === 'string')) {
    const key = emailKey(address)
    if (!recipients.has(key)) recipients.set(key, deliveryAddress(address))
    if (recipients.size === NOTIFICATION_EMAILS_MAX) break
  }
  return [...recipients.values()].map((to, index) => ({
    outboxId: `obx_${of}_${index + 1}`,
    kind: NOTIFICATION_EMAIL,
    payload: { ...payload, to },
  }))
}

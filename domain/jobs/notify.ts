import * as v from 'valibot'
import type { ClaimedEntry } from '../../ports/outbox-store.ts'
import { notificationEmail } from './notification.ts'
import { sendEmail, UNCONFIGURED_MS } from './send.ts'
import { platformMailbox, tenantMailbox } from '../messaging/sender.ts'
import type { Verdict } from './verdict.ts'
import { hopeless, postponed } from './verdict.ts'
import type { JobWorld } from './world.ts'

const Payload = v.object({ to: v.string() })

/**
 * Tells one address of a submission. An organization without a slug has no address of its own, so the service's tells
 * it. The entry's id is the idempotency key: however often this runs, the provider sends one email.
 */
export async function notify(entry: ClaimedEntry, world: JobWorld): Promise<Verdict> {
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return hopeless('The entry is malformed.')
  if (entry.submission === null) return hopeless('The submission is gone.')
  if (world.mail === null) return postponed('No email provider is configured.', UNCONFIGURED_MS)
  // Email to the tenant's own staff may come from the operator's name when the tenant has no address. Email to its
  // customers never does.
  const from = tenantMailbox(entry.organization, world.mail) ?? platformMailbox(world.mail)
  return sendEmail(notificationEmail(entry, payload.output.to, from), entry.outboxId, world)
}

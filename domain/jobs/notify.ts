import * as v from 'valibot'
import type { ClaimedEntry, TenantOutbox } from '../../ports/outbox-store.ts'
import { notificationEmail } from './notification.ts'
import type { HeldLease } from './lease.ts'
import { noEmailProvider, prepareEmail } from './send.ts'
import { platformMailbox, tenantMailbox } from '../messaging/request/sender.ts'
import { hopeless, malformedEntry, type Verdict } from './verdict.ts'
import type { JobWorld } from './world.ts'

const Payload = v.object({ to: v.string() })

/**
 * Sends the notification of a submission to one address. An organization without a slug has no sender address, so the
 * service's own is used. The entry's id is the idempotency key: however often this runs, the provider sends one email.
 */
export async function notify(
  entry: ClaimedEntry,
  held: HeldLease,
  outbox: TenantOutbox,
  world: JobWorld,
): Promise<Verdict> {
  const payload = v.safeParse(Payload, entry.payload)
  if (!payload.success) return malformedEntry
  if (entry.submission === null) return hopeless('The submission is gone.')
  if (world.mail === null || world.email === null) return noEmailProvider
  // This email goes to the tenant's own staff, so it may be sent under the operator's name when the tenant has no
  // address. Email to the tenant's customers never is.
  const from = tenantMailbox(entry.organization, world.mail) ?? platformMailbox(world.mail)
  const message = notificationEmail(entry, payload.output.to, from, world.mail)
  const { pending, attempt } = prepareEmail(message, entry.outboxId, world.email, world)
  return (await outbox.begin(entry.outboxId, held.token, pending)) ? attempt() : { kind: 'lost' }
}

import type { DemoContact } from './people/contacts.ts'
import { createDraw } from './draw.ts'
import { siteLines } from './sites.ts'

const COUNT = 40
const SEED = 40_2026
const HOUR_MS = 3_600_000

const statuses = ['open', 'in_progress', 'waiting', 'resolved', 'closed'] as const
const requestTypes = ['cancellation', 'damage_claim', 'refund', 'billing', 'feedback'] as const
const agent = { userName: 'Robin Vale', userEmail: 'robin@example.com' }

/** The demo's cases as import lines: each of a contact that has an email address. */
export function* caseLines(contacts: readonly DemoContact[]): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  const reachable = contacts.filter(({ email }) => email !== null)
  for (let index = 1; index <= COUNT; index += 1) {
    const contact = reachable[draw.below(reachable.length)]
    if (contact === undefined) return
    const status = draw.pick(statuses)
    const isDone = status === 'resolved' || status === 'closed'
    const { siteId, name, commonName } = siteLines[draw.below(siteLines.length)] ?? {}
    const submittedAt = draw.instant()
    const later = (hours: number) => new Date(Date.parse(submittedAt) + hours * HOUR_MS).toISOString()
    yield {
      caseId: `case-${String(index).padStart(3, '0')}`,
      ticketNumber: 1000 + index,
      status,
      action: status === 'open' ? 'created' : isDone ? 'resolved' : 'assigned',
      requestType: draw.pick(requestTypes),
      source: draw.pick(['form', 'phone', 'email', 'walk_in']),
      customer: customerOf(contact),
      site: { siteId, name, commonName },
      submittedAt,
      assignedTo: status === 'open' ? null : agent.userName,
      resolution: isDone ? 'Refunded in full.' : null,
      category: draw.pick(['wash quality', 'billing']),
      history: [
        { timestamp: submittedAt, action: 'created', to: 'open', channel: 'form' },
        ...(status === 'open'
          ? []
          : [{ timestamp: later(5), action: 'assigned', from: 'open', to: status, ...agent }]),
      ],
      notes: [
        { timestamp: submittedAt, comment: 'Case created.', system: true },
        ...(isDone ? [{ timestamp: later(30), comment: 'Called back.', ...agent, system: false }] : []),
      ],
    }
  }
}

function customerOf(contact: DemoContact): Readonly<Record<string, string | null>> {
  const { contactId, firstName, lastName, email, phone, licensePlate } = contact
  return { customerId: contactId, name: [firstName, lastName].join(' ').trim(), email, phone, licensePlate }
}

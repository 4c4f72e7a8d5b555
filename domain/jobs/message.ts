import * as v from 'valibot'
import type { OutboxRef } from '../../ports/outbox.ts'

const ID_MAX_LENGTH = 300
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(ID_MAX_LENGTH))
const Message = v.object({ organizationId: id, outboxId: id })

/** The entry that a queue message names, or null when the message is malformed. */
export function readMessage(body: unknown): OutboxRef | null {
  const reading = v.safeParse(Message, body)
  return reading.success ? reading.output : null
}

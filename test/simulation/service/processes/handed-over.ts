import type { SendResult } from '../../../../ports/messaging.ts'

/** A message that reached its recipient. */
export interface Delivered {
  /** The provider's id of the message. */
  readonly id: string
  readonly key: string
  /** The address or number that the recipient sees as the sender. */
  readonly from: string
  readonly to: string
  /** The subject of an email, the text of an SMS. */
  readonly title: string
  /** The whole text, if there is one. */
  readonly text: string
  readonly atMs: number
}

/** An answer as it reached the worker that handed a message over; without one in time, the failure that it assumes. */
interface Answered {
  readonly result: SendResult
  readonly atMs: number
}

/** What was handed over to a provider, and what came of it. */
export interface HandedOver {
  readonly delivered: readonly Delivered[]
  /** The message with the provider's id. */
  withId(id: string): Delivered | undefined
  /** When a message of an entry, or of one step of a run, was last delivered; undefined: never. */
  deliveredAtMs(outboxId: string, step?: number): number | undefined
  /** The last answer about an entry of the outbox. */
  lastAnswer(outboxId: string): Answered | undefined
}

/** `HandedOver` as the provider keeps it. */
export interface HandOverRecord extends HandedOver {
  deliver(message: Delivered): void
  answered(key: string, answer: Answered): void
}

export function createHandOverRecord(): HandOverRecord {
  const delivered: Delivered[] = []
  const byId = new Map<string, Delivered>()
  const deliveredAtMs = new Map<string, number>()
  const answers = new Map<string, Answered>()
  return {
    delivered,
    withId: (id) => byId.get(id),
    deliveredAtMs: (outboxId, step) => deliveredAtMs.get(`${outboxId} ${step ?? ''}`),
    lastAnswer: (outboxId) => answers.get(outboxId),
    deliver(message) {
      delivered.push(message)
      byId.set(message.id, message)
      const entry = entryOf(message.key)
      if (entry !== null) deliveredAtMs.set(`${entry.outboxId} ${entry.step ?? ''}`, message.atMs)
    },
    answered(key, answer) {
      const entry = entryOf(key)
      if (entry !== null) answers.set(entry.outboxId, answer)
    },
  }
}

/** Matches the idempotency key of work from the outbox: the entry's id, and for a run also the number of the step. */
const ENTRY = /^(obx_\w+|run_sub_\w+?_\d+)(-(\d+))?(?:-|$)/

/** The entry of the outbox that an idempotency key names, with the step of a run; null: the message is none of its. */
export function entryOf(key: string): { readonly outboxId: string; readonly step: number | null } | null {
  const [, outboxId, , step] = ENTRY.exec(key) ?? []
  return outboxId === undefined ? null : { outboxId, step: step === undefined ? null : Number(step) }
}

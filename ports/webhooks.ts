/** Why the service itself switched a webhook off: it answered 410, or nothing succeeded for days. */
export type OffReason = 'gone' | 'failing'

/**
 * `waiting`: the last attempt failed, and another one follows. `dropped`: it was not sent, because the webhook was off or
 * what it told of is gone.
 */
export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'dropped'

/** What is said of a webhook by people. */
export interface WebhookSettings {
  readonly url: string
  /** The words of the events that it is told of. */
  readonly events: readonly string[]
  /** Of submissions only those of these forms; null: of all. */
  readonly formIds: readonly string[] | null
  readonly description: string
  readonly isOn: boolean
}

/** An address of another system that an organization tells of what happens in it. */
export interface Webhook extends WebhookSettings {
  readonly webhookId: string
  /** Null: it is on, or somebody switched it off. */
  readonly offReason: OffReason | null
  /** When it failed for the first time since it last succeeded, UTC; null: it has not failed since. */
  readonly failingSince: string | null
  /** What signs its deliveries, encrypted; null: it was restored from an archive, and has none yet. */
  readonly secret: string | null
  /** What signs besides, encrypted; null: nothing. */
  readonly previousSecret: string | null
  /** The UTC instant until which that signs. */
  readonly previousUntil: string | null
  readonly createdAt: string
  /** Grows with each change that a person makes. */
  readonly version: number
}

/** A webhook to be stored. */
export type NewWebhook = WebhookSettings &
  Pick<Webhook, 'webhookId' | 'createdAt'> & { readonly secret: string }

/** One answer of a webhook, or why there was none. */
export interface WebhookAnswer {
  /** When it was called, UTC. */
  readonly at: string
  /** The HTTP status; null: there was no answer. */
  readonly status: number | null
  readonly durationMs: number
  /** The beginning of the answer's body. */
  readonly text: string
  /** Why it was no success, in this service's words; null: it was one. */
  readonly reason: string | null
}

/** What a webhook is told of. Its id is that of the entry of the outbox and of the delivery. */
export interface WebhookEvent {
  readonly deliveryId: string
  readonly webhookId: string
  readonly event: string
  /** The id of the row that it tells of. */
  readonly subjectId: string
  /** When that happened, UTC. */
  readonly at: string
}

/** A delivery that was tried, as it is kept for some time. What was sent is not kept. */
export interface WebhookDelivery extends WebhookEvent {
  readonly status: DeliveryStatus
  /** How often it was called, resending included. */
  readonly attempts: number
  /** The latest answers, oldest first. */
  readonly answers: readonly WebhookAnswer[]
}

/** What became of an attempt to deliver, for the record. */
export interface DeliveryAttempt extends WebhookEvent {
  readonly status: DeliveryStatus
  /** Null: the webhook was not called. */
  readonly answer: WebhookAnswer | null
  /**
   * The row that the webhook was told. When it has changed since, the text of the answer is not kept, because it may
   * repeat what is erased by now. Left out: it was told no more than an id.
   */
  readonly told?: { readonly collection: string; readonly updatedAt: string }
}

/** Where a list of deliveries continues: after this one. */
export type DeliveryPosition = Pick<WebhookDelivery, 'at' | 'deliveryId'>

/** What came of a change. `changed`: the webhook is another version by now. In all cases but `done` nothing was written. */
export type WebhookChange = 'done' | 'missing' | 'changed'

/** The webhooks of one organization. Every method is one atomic step. */
export interface TenantWebhooks {
  /** In the order of their ids, after one of them (null: from the first), at most `limit`. */
  list(afterId: string | null, limit: number): Promise<readonly Webhook[]>
  find(webhookId: string): Promise<Webhook | null>
  /** Stores a webhook. False, and nothing is stored: the organization has `countMax` or more already, or is gone. */
  create(webhook: NewWebhook, countMax: number): Promise<boolean>
  /**
   * Changes what is named and nothing else. Switching one on forgets why it was off and since when it failed.
   * @param version the version that it must still have; null: any
   */
  update(
    webhookId: string,
    settings: Partial<WebhookSettings>,
    version: number | null,
  ): Promise<WebhookChange>
  /** Gives it another secret. The present one, if there is one, signs besides until `previousUntil`. */
  rotate(
    webhookId: string,
    secret: string,
    previousUntil: string,
    version: number | null,
  ): Promise<WebhookChange>
  /** Removes a webhook, and what was still to be told to it. False: there is none. */
  remove(webhookId: string): Promise<boolean>
  /** Replaces a secret by the same one, encrypted under another root secret, unless it has changed meanwhile. */
  replaceSecret(webhookId: string, from: string, to: string): Promise<void>
  /** Switches a webhook off that is on. False: it is off, or gone. */
  switchOff(webhookId: string, reason: OffReason): Promise<boolean>
  /** Deliveries of a webhook that were tried, newest event first, after one of them, at most `limit`. */
  deliveries(
    webhookId: string,
    isUndelivered: boolean,
    after: DeliveryPosition | null,
    limit: number,
  ): Promise<readonly WebhookDelivery[]>
  findDelivery(deliveryId: string): Promise<WebhookDelivery | null>
  /** Puts an event into the outbox for one webhook, due at `now`. False: the webhook is gone. */
  announce(event: WebhookEvent, now: string): Promise<boolean>
  /** Puts deliveries that were tried into the outbox again, with all attempts before them, unless they are worked on. */
  resend(deliveryIds: readonly string[], now: string): Promise<readonly string[]>
}

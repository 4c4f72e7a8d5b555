import type { D1Database } from '@cloudflare/workers-types'
import { formatMailbox } from '../../domain/messaging/sender.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EmailSender } from '../../ports/email-sender.ts'
import type { SendResult } from '../../ports/send-result.ts'
import type { SmsSender } from '../../ports/sms-sender.ts'

/** A message that would have been sent. */
export interface MailboxMessage {
  readonly messageId: string
  readonly channel: 'email' | 'sms' | 'mms'
  readonly from: string
  readonly to: string
  /** Null for a text message. */
  readonly subject: string | null
  readonly html: string | null
  readonly text: string | null
  readonly replyTo: string | null
  readonly mediaUrls: readonly string[]
  readonly at: string
}

/** Takes the place of email and SMS providers on a developer's machine: it keeps what it is given. */
export interface Mailbox {
  readonly email: EmailSender
  readonly sms: SmsSender
  /** The messages, newest first, at most `limit`. */
  list(limit: number): Promise<readonly MailboxMessage[]>
}

/** The made-up short code of local text messages. */
const SHORTCODE = '00000'

/**
 * Creates the mailbox's table. Only the local start does, never a migration: a deployment that is told to use the
 * mailbox fails with every message instead of swallowing it.
 */
export async function installMailbox(database: D1Database): Promise<void> {
  await database
    .prepare(
      `CREATE TABLE IF NOT EXISTS local_mailbox (message_id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL,
        sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT, html TEXT, body TEXT, reply_to TEXT,
        media_urls TEXT NOT NULL, at TEXT NOT NULL) STRICT`,
    )
    .run()
}

/** A mailbox in a database in which it was installed. It honours idempotency keys for ever. */
export function createMailbox(database: D1Database, clock: Clock): Mailbox {
  const keep = (key: string, message: Omit<MailboxMessage, 'messageId' | 'at'>): Promise<SendResult> =>
    store(database, { ...message, messageId: `local_${key}`, at: toInstant(clock.nowMs()) })
  const capabilities = { idempotencyMs: Number.MAX_SAFE_INTEGER }
  return {
    email: {
      capabilities,
      send: ({ from, to, subject, html, text, replyTo }, key) =>
        keep(key, {
          channel: 'email',
          from: formatMailbox(from),
          to,
          subject,
          html,
          text,
          replyTo,
          mediaUrls: [],
        }),
    },
    sms: {
      capabilities,
      shortcode: SHORTCODE,
      send: ({ from, to, body, mediaUrls }, key) =>
        keep(key, {
          channel: mediaUrls.length > 0 ? 'mms' : 'sms',
          from: from.kind === 'number' ? from.number : SHORTCODE,
          to,
          subject: null,
          html: null,
          text: body,
          replyTo: null,
          mediaUrls,
        }),
    },
    list: (limit) => read(database, limit),
  }
}

async function store(database: D1Database, message: MailboxMessage): Promise<SendResult> {
  const { messageId, channel, from, to, subject, html, text, replyTo, mediaUrls, at } = message
  try {
    await database
      .prepare('INSERT INTO local_mailbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .bind(messageId, channel, from, to, subject, html, text, replyTo, JSON.stringify(mediaUrls), at)
      .run()
    return { kind: 'accepted', providerId: messageId }
  } catch {
    return { kind: 'unavailable', reason: 'There is no local mailbox.', throttled: false, retryAfterMs: null }
  }
}

async function read(database: D1Database, limit: number): Promise<readonly MailboxMessage[]> {
  const { results } = await database
    .prepare(
      `SELECT message_id AS messageId, channel, sender AS "from", recipient AS "to", subject, html, body AS text,
        reply_to AS replyTo, media_urls AS mediaUrls, at
      FROM local_mailbox ORDER BY at DESC, message_id DESC LIMIT ?`,
    )
    .bind(limit)
    .all<Omit<MailboxMessage, 'mediaUrls'> & { readonly mediaUrls: string }>()
  return results.map((row) => ({ ...row, mediaUrls: JSON.parse(row.mediaUrls) as string[] }))
}

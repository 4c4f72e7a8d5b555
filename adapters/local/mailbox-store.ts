import * as v from 'valibot'
import type { D1Database, D1Result } from '@cloudflare/workers-types'
import type { EmailAttachment } from '../../ports/email-sender.ts'
import { parseJson } from '../../domain/text/json.ts'

/** An attachment as the mailbox lists it. */
export interface MailboxAttachment {
  readonly filename: string
  /** The URL from which a provider would fetch it; null: its content was given. */
  readonly path: string | null
  /** Null when there is a path. */
  readonly sizeBytes: number | null
}

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
  readonly attachments: readonly MailboxAttachment[]
  readonly at: string
}

/** A message as it is handed over: with its attachments' contents. */
export type NewMessage = Omit<MailboxMessage, 'attachments'> & {
  readonly attachments: readonly EmailAttachment[]
}

/**
 * The largest content that is kept, in characters of base64; of larger ones only the size is kept. A row holds at most
 * 2 MB.
 */
const CONTENT_MAX_LENGTH = 1_000_000

/**
 * The statements that create the mailbox's tables. Only a local service runs them, and no migration has them: a deployment
 * that is configured to use the mailbox then fails with every message, instead of losing it silently.
 */
export const mailboxTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS local_mailbox (message_id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL,
    sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT, html TEXT, body TEXT, reply_to TEXT,
    media_urls TEXT NOT NULL, at TEXT NOT NULL) STRICT`,
  `CREATE TABLE IF NOT EXISTS local_mailbox_attachments (message_id TEXT NOT NULL, position INTEGER NOT NULL,
    filename TEXT NOT NULL, path TEXT, size_bytes INTEGER, content TEXT,
    PRIMARY KEY (message_id, position)) STRICT`,
]

/** Stores a message. A message that is stored already stays unchanged. Rejects when the mailbox has no tables. */
export async function keepMessage(database: D1Database, message: NewMessage): Promise<void> {
  const { messageId, channel, from, to, subject, html, text, replyTo, mediaUrls, attachments, at } = message
  await database.batch([
    database
      .prepare('INSERT INTO local_mailbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .bind(messageId, channel, from, to, subject, html, text, replyTo, JSON.stringify(mediaUrls), at),
    ...attachments.map((attachment, position) =>
      database
        .prepare('INSERT INTO local_mailbox_attachments VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
        .bind(messageId, position, ...columnsOf(attachment)),
    ),
  ])
}

type Column = string | number | null

function columnsOf(attachment: EmailAttachment): readonly [string, Column, Column, Column] {
  const { filename } = attachment
  if ('path' in attachment) return [filename, attachment.path, null, null]
  const { content } = attachment
  const sizeBytes = (content.length / 4) * 3 - (/={0,2}$/.exec(content.slice(-2))?.[0].length ?? 0)
  return [filename, null, sizeBytes, content.length > CONTENT_MAX_LENGTH ? null : content]
}

type MessageRow = Omit<MailboxMessage, 'mediaUrls' | 'attachments'> & { readonly mediaUrls: string }
type AttachmentRow = MailboxAttachment & { readonly messageId: string }

const MediaUrls = v.array(v.string())

/** The messages, newest first, at most `limit`. */
export async function listMessages(database: D1Database, limit: number): Promise<readonly MailboxMessage[]> {
  const newest = 'FROM local_mailbox ORDER BY at DESC, message_id DESC LIMIT ?'
  const results: readonly unknown[] = await database.batch([
    database
      .prepare(
        `SELECT message_id AS messageId, channel, sender AS "from", recipient AS "to", subject, html, body AS text,
          reply_to AS replyTo, media_urls AS mediaUrls, at ${newest}`,
      )
      .bind(limit),
    database
      .prepare(
        `SELECT message_id AS messageId, filename, path, size_bytes AS sizeBytes FROM local_mailbox_attachments
        WHERE message_id IN (SELECT message_id ${newest}) ORDER BY message_id, position`,
      )
      .bind(limit),
  ])
  // D1 types all results of a batch alike, and these have rows of two kinds.
  const [messages, attachments] = results as readonly [D1Result<MessageRow>, D1Result<AttachmentRow>]
  const listed = attachments.results
  return messages.results.map((row) => ({
    ...row,
    mediaUrls: v.parse(MediaUrls, parseJson(row.mediaUrls)),
    attachments: listed
      .filter(({ messageId }) => messageId === row.messageId)
      .map(({ filename, path, sizeBytes }) => ({ filename, path, sizeBytes })),
  }))
}

/** The HTML of a message; null when there is no such message, or it has none. */
export async function findHtml(database: D1Database, messageId: string): Promise<string | null> {
  const [found] = await database.batch<{ readonly html: string | null }>([
    database.prepare('SELECT html FROM local_mailbox WHERE message_id = ?').bind(messageId),
  ])
  return found?.results[0]?.html ?? null
}

/** An attachment's name and content in base64; null when there is none, or its content was not kept. */
export async function findContent(
  database: D1Database,
  messageId: string,
  position: number,
): Promise<{ readonly filename: string; readonly content: string } | null> {
  const [found] = await database.batch<{ readonly filename: string; readonly content: string | null }>([
    database
      .prepare(
        'SELECT filename, content FROM local_mailbox_attachments WHERE message_id = ? AND position = ?',
      )
      .bind(messageId, position),
  ])
  const row = found?.results[0]
  return row?.content == null ? null : { filename: row.filename, content: row.content }
}

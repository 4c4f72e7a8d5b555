import { smsIdentity } from '../../domain/messaging/attempt.ts'
import { broken } from '../../domain/messaging/send-results.ts'
import { AUTO_SUBMITTED, formatMailbox } from '../../domain/messaging/sender.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { Clock } from '../../ports/platform.ts'
import type { EmailSender, SendResult, SmsSender, EmailAttachment } from '../../ports/messaging.ts'
import {
  resultsOf,
  rowsOf,
  type Executor,
  type BoundValue,
  type Statement,
} from '../sqlite/statement/executor.ts'
import * as v from 'valibot'
import { parseJson } from '../../domain/text/encoding.ts'

/** Takes the place of email and SMS providers on a developer's machine: it keeps what it is given. */
export interface Mailbox {
  readonly email: EmailSender
  readonly sms: SmsSender
  /** The messages, newest first, at most `limit`. */
  list(limit: number, wanted?: Wanted): Promise<readonly MailboxMessage[]>
  /** Deletes a message, or without an id every one. Their idempotency keys stay known. */
  delete(messageId?: string): Promise<void>
  /** The HTML of a message; null when there is no such message, or it has none. */
  html(messageId: string): Promise<string | null>
  /** An attachment's name and content in base64; null when there is none, or it was too large to be kept. */
  attachment(
    messageId: string,
    position: number,
  ): Promise<{ readonly filename: string; readonly content: string } | null>
}

/** The fictitious short code of local text messages. */
const SHORTCODE = '00000'

/** A mailbox in a database that has the mailbox's tables. It honours idempotency keys for ever. */
export function createMailbox(executor: Executor, clock: Clock): Mailbox {
  const keep = async (key: string, message: Omit<NewMessage, 'messageId' | 'at'>): Promise<SendResult> => {
    const messageId = `local_${key}`
    try {
      await keepMessage(executor, { ...message, messageId, at: toInstant(clock.nowMs()) })
      return { kind: 'accepted', providerId: messageId }
    } catch (cause) {
      return broken('The local mailbox did not take it.', cause)
    }
  }
  const capabilities = { idempotencyMs: Number.MAX_SAFE_INTEGER }
  return {
    email: {
      capabilities,
      send: ({ from, isAutomatic, ...message }, key) =>
        keep(key, {
          ...message,
          channel: 'email',
          from: formatMailbox(from),
          mediaUrls: [],
          headers: isAutomatic ? AUTO_SUBMITTED : {},
        }),
    },
    sms: {
      capabilities,
      shortcode: SHORTCODE,
      send: (message, key) =>
        keep(key, {
          ...smsIdentity(message, { shortcode: SHORTCODE }),
          to: message.to,
          subject: null,
          html: null,
          text: message.body,
          replyTo: null,
          mediaUrls: message.mediaUrls,
          attachments: [],
          headers: {},
        }),
    },
    list: (limit, wanted) => listMessages(executor, limit, wanted),
    delete: (messageId) => deleteMessages(executor, messageId ?? null),
    html: (messageId) => findHtml(executor, messageId),
    attachment: (messageId, position) => findContent(executor, messageId, position),
  }
}

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
  /** Headers besides the usual ones, by name. */
  readonly headers: Readonly<Record<string, string>>
  readonly at: string
}

/** A message as it is handed over: with its attachments' contents. */
type NewMessage = Omit<MailboxMessage, 'attachments'> & {
  readonly attachments: readonly EmailAttachment[]
}

/**
 * The largest content that is kept, in characters of base64; of larger ones only the size is kept. A row holds at most
 * 2 MB.
 */
const CONTENT_MAX_LENGTH = 1_000_000

/**
 * The statements that create the mailbox's tables. Only a local service runs them, and no migration has them: a
 * deployment that is configured to use the mailbox then fails with every message, instead of losing it silently.
 */
export const mailboxTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS local_mailbox (message_id TEXT NOT NULL PRIMARY KEY, channel TEXT NOT NULL,
    sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT, html TEXT, body TEXT, reply_to TEXT,
    media_urls TEXT NOT NULL, at TEXT NOT NULL) STRICT`,
  `CREATE TABLE IF NOT EXISTS local_mailbox_attachments (message_id TEXT NOT NULL, position INTEGER NOT NULL,
    filename TEXT NOT NULL, path TEXT, size_bytes INTEGER, content TEXT,
    PRIMARY KEY (message_id, position)) STRICT`,
  `CREATE TABLE IF NOT EXISTS local_mailbox_headers (message_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (message_id, name)) STRICT`,
]

/** Stores a message. A message that is stored already stays unchanged. Rejects when the mailbox has no tables. */
async function keepMessage(executor: Executor, message: NewMessage): Promise<void> {
  const { messageId, channel, from, to, subject, html, text, replyTo, mediaUrls, at } = message
  const columns = [messageId, channel, from, to, subject, html, text, replyTo, JSON.stringify(mediaUrls), at]
  await executor.batch([
    statement(
      'INSERT INTO local_mailbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      columns,
    ),
    ...message.attachments.map((attachment, position) =>
      statement('INSERT INTO local_mailbox_attachments VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', [
        messageId,
        position,
        ...columnsOf(attachment),
      ]),
    ),
    ...Object.entries(message.headers).map(([name, value]) =>
      statement('INSERT INTO local_mailbox_headers VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
        messageId,
        name,
        value,
      ]),
    ),
  ])
}

function statement<Row>(sql: string, parameters: readonly BoundValue[]): Statement<Row> {
  return { sql, parameters }
}

function columnsOf(attachment: EmailAttachment): readonly BoundValue[] {
  const { filename } = attachment
  if ('path' in attachment) return [filename, attachment.path, null, null]
  const { content } = attachment
  const sizeBytes = (content.length / 4) * 3 - (/={0,2}$/.exec(content.slice(-2))?.[0].length ?? 0)
  return [filename, null, sizeBytes, content.length > CONTENT_MAX_LENGTH ? null : content]
}

type MessageRow = Omit<MailboxMessage, 'mediaUrls' | 'attachments' | 'headers'> & {
  readonly mediaUrls: string
}
interface HeaderRow {
  readonly messageId: string
  readonly name: string
  readonly value: string
}
type AttachmentRow = MailboxAttachment & { readonly messageId: string }

const MediaUrls = v.array(v.string())

/** Which messages are wanted. */
export interface Wanted {
  /** A part of the sender, recipient, subject or content, whatever the case of its letters from a to z. */
  readonly search?: string
  /** One message alone. */
  readonly messageId?: string
  /** Whether the HTML is left out, and all of a text but its beginning. */
  readonly isBrief?: boolean
}

const BRIEF_LENGTH = 140

/**
 * A deleted message leaves a row without content, of this channel: the idempotency key of the message must be known for
 * ever.
 */
const DELETED = 'deleted'

/** The messages, newest first, at most `limit`. */
async function listMessages(
  executor: Executor,
  limit: number,
  { search = '', messageId = '', isBrief = false }: Wanted = {},
): Promise<readonly MailboxMessage[]> {
  const searched = ['sender', 'recipient', 'subject', 'html', 'body'].map((name) => `coalesce(${name}, '')`)
  const newest = `FROM local_mailbox WHERE channel <> '${DELETED}' AND ? IN ('', message_id)
    AND instr(lower(${searched.join(' || char(10) || ')}), lower(?)) > 0 ORDER BY at DESC, message_id DESC LIMIT ?`
  const parameters = [messageId, search, limit]
  const content = isBrief ? `NULL AS html, substr(body, 1, ${BRIEF_LENGTH})` : 'html, body'
  const [messages, attachments, headers] = await resultsOf(executor, [
    statement<MessageRow>(
      `SELECT message_id AS messageId, channel, sender AS "from", recipient AS "to", subject, ${content} AS text,
        reply_to AS replyTo, media_urls AS mediaUrls, at ${newest}`,
      parameters,
    ),
    statement<AttachmentRow>(
      `SELECT message_id AS messageId, filename, path, size_bytes AS sizeBytes FROM local_mailbox_attachments
      WHERE message_id IN (SELECT message_id ${newest}) ORDER BY message_id, position`,
      parameters,
    ),
    statement<HeaderRow>(
      `SELECT message_id AS messageId, name, value FROM local_mailbox_headers
      WHERE message_id IN (SELECT message_id ${newest}) ORDER BY message_id, name`,
      parameters,
    ),
  ])
  return messages.rows.map((row) => ({
    ...row,
    mediaUrls: v.parse(MediaUrls, parseJson(row.mediaUrls)),
    attachments: attachments.rows
      .filter(({ messageId: of }) => of === row.messageId)
      .map(({ filename, path, sizeBytes }) => ({ filename, path, sizeBytes })),
    headers: Object.fromEntries(
      headers.rows
        .filter(({ messageId: of }) => of === row.messageId)
        .map(({ name, value }) => [name, value]),
    ),
  }))
}

/** Deletes a message, or for null every one. What is deleted already stays so. */
async function deleteMessages(executor: Executor, messageId: string | null): Promise<void> {
  const one = messageId === null ? '' : 'WHERE message_id = ?'
  const parameters = messageId === null ? [] : [messageId]
  await executor.batch([
    statement(`DELETE FROM local_mailbox_attachments ${one}`, parameters),
    statement(`DELETE FROM local_mailbox_headers ${one}`, parameters),
    statement(
      `UPDATE local_mailbox SET channel = '${DELETED}', sender = '', recipient = '', subject = NULL, html = NULL,
        body = NULL, reply_to = NULL, media_urls = '[]' ${one}`,
      parameters,
    ),
  ])
}

/** The HTML of a message; null when there is no such message, or it has none. */
async function findHtml(executor: Executor, messageId: string): Promise<string | null> {
  const [row] = await rowsOf(
    executor,
    statement<{ readonly html: string | null }>('SELECT html FROM local_mailbox WHERE message_id = ?', [
      messageId,
    ]),
  )
  return row?.html ?? null
}

/** An attachment's name and content in base64; null when there is none, or its content was not kept. */
async function findContent(
  executor: Executor,
  messageId: string,
  position: number,
): Promise<{ readonly filename: string; readonly content: string } | null> {
  const [row] = await rowsOf(
    executor,
    statement<{ readonly filename: string; readonly content: string | null }>(
      'SELECT filename, content FROM local_mailbox_attachments WHERE message_id = ? AND position = ?',
      [messageId, position],
    ),
  )
  return row?.content == null ? null : { filename: row.filename, content: row.content }
}

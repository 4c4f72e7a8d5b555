export * from './mailbox.ts'
export type { MailboxAttachment, MailboxMessage } from './mailbox-store.ts'
export { mailboxTables } from './mailbox-store.ts'

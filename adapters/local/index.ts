export * from './mailbox.ts'
export type { MailboxAttachment, MailboxMessage, Wanted } from './mailbox-store.ts'
export { mailboxTables } from './mailbox-store.ts'

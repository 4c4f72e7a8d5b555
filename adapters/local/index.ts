export * from './mailbox.ts'
export type { MailboxAttachment, MailboxMessage } from './mailbox-store.ts'
export { installMailbox } from './mailbox-store.ts'

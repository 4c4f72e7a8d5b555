/**
 * What the domain asks of the world. One interface per file; every method says what it promises, so that an
 * adapter can be written from here alone and proved with the suites under `test/conformance`.
 */
export type * from './administration.ts'
export type * from './background.ts'
export type * from './clock.ts'
export type * from './deadline.ts'
export type * from './email-sender.ts'
export type * from './form-directory.ts'
export type * from './keyed-storage.ts'
export type * from './log.ts'
export type * from './organization.ts'
export type * from './outbox-store.ts'
export type * from './pos-source.ts'
export type * from './pos-writer.ts'
export type * from './query.ts'
export type * from './queue.ts'
export type * from './random-source.ts'
export type * from './record-source.ts'
export type * from './send-log.ts'
export type * from './send-result.ts'
export type * from './sms-sender.ts'
export type * from './tenant-writer.ts'

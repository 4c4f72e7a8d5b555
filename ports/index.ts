/**
 * The interfaces that the domain needs, a file for each purpose. Every method documents its guarantees, so that an adapter can be
 * written from these files alone and tested with the suites in `adapters/conformance`.
 */
export type * from './analytics.ts'
export type * from './import-sessions.ts'
export type * from './organizations.ts'
export type * from './organization-store.ts'
export type * from './messaging.ts'
export type * from './operators.ts'
export type * from './placement.ts'
export type * from './platform.ts'
export type * from './records.ts'
export type * from './sources.ts'
export type * from './storage.ts'
export type * from './outbox.ts'

/**
 * What the domain asks of the world. One interface per file; every method says what it promises, so that an
 * adapter can be written from here alone and proved with the suites under `test/conformance`.
 */
export type * from './administration.ts'
export type * from './background.ts'
export type * from './clock.ts'
export type * from './deadline.ts'
export type * from './form-directory.ts'
export type * from './keyed-storage.ts'
export type * from './log.ts'
export type * from './organization.ts'
export type * from './query.ts'
export type * from './random-source.ts'
export type * from './tenant-writer.ts'

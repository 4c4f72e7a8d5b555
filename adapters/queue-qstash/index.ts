export * from './queue.ts'
export * from './receive.ts'
export type { SigningKeys } from './signature.ts'

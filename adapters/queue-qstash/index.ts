export * from './queue.ts'
export * from './receive.ts'
export * from './signature.ts'

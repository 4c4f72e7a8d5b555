export * from './queue.ts'
export * from './receive.ts'

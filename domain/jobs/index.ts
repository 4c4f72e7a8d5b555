export * from './deliver.ts'
export * from './sweep.ts'
export type * from './world.ts'

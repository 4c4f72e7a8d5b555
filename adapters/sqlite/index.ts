export type {
  BoundValue,
  CountedBatch,
  CountedResults,
  Executor,
  ResultRow,
  Statement,
  StatementResult,
} from './statement/executor.ts'
export type { StorageOptions } from './placement/guard.ts'
export type { SqliteStorage } from './storage.ts'
export { createStorage } from './storage.ts'
export { createPlaceDirectory } from './placement/directory.ts'
export { countRows, createMeter } from './statement/executor.ts'
export { readsAlone } from './statement/executor.ts'
export { splitStatements } from './migration.ts'
export { earliestDue } from './outbox/turns.ts'

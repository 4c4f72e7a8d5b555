import type { OperationId } from './operations.ts'

/** The method and path of each operation. The build replaces this file; see `operation-table.mjs`. */
export declare const operationTable: Readonly<Record<OperationId, readonly [method: string, path: string]>>

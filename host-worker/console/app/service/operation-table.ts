import type { OperationId } from './operations.ts'

/** The method and path of each operation. The build replaces this file; see `build.mjs`. */
export declare const operationTable: Readonly<Record<OperationId, readonly [method: string, path: string]>>

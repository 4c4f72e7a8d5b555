import { operatorApi } from '../domain/operator-api.ts'
import { createFetchHandler } from './http/fetch-handler.ts'

export { openOperatorWorld } from './wiring/operator-world.ts'

/** Answers requests of operators. */
export const handleOperator = createFetchHandler(operatorApi)

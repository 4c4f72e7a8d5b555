import { operatorApi } from '../domain/operator-api.ts'
import { createFetchHandler } from './http/fetch-handler.ts'

export { openOperatorWorld } from './wiring/operator-world.ts'

/** Serves requests to the operator interface. */
export const handleOperator = createFetchHandler(operatorApi)

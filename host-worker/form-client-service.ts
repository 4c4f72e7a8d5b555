import { clientApi } from '../domain/forms/client-api.ts'
import type { World } from '../domain/world.ts'
import { createFetchHandler } from './http/fetch-handler.ts'

/** Serves the requests of the form client. */
export const handleFormClient = createFetchHandler<World>(clientApi)

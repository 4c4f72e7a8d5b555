import { clientApi } from '../../domain/forms/client-api.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import type { Serve } from './opening.ts'
import { openSubmissionWorld } from './submissions.ts'

const handle = createFetchHandler(clientApi)

/** Serves what the form client reads. */
export const serve: Serve = async (request, host, opening) =>
  handle(request, { ...host, world: await openSubmissionWorld(opening) })

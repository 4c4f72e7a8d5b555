import { formPageApi } from '../../domain/forms/page-api.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import type { Serve } from './opening.ts'
import { openSubmissionWorld } from './submissions.ts'

const handle = createFetchHandler(formPageApi)

/** Serves the pages of forms. */
export const serve: Serve = async (request, host, opening) =>
  handle(request, { ...host, world: await openSubmissionWorld(opening) })

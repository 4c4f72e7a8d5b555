import type { Api, FailedRequest } from './create-api.ts'
import { isSubmissionPath } from './forms/routes.ts'
import { submissionApi } from './forms/submit.ts'
import { tenantApi, type World } from './tenant-api.ts'

/**
 * The interface of the contract: what organizations and their websites call. A host that is started often serves the
 * two parts by themselves, so that a request loads only its own.
 */
export const publicApi: Api<World> = {
  routes: [...tenantApi.routes, ...submissionApi.routes],
  answerWrongMethod: (allowed, failed) => partOf(failed).answerWrongMethod(allowed, failed),
  answerFailure: (failed) => partOf(failed).answerFailure(failed),
  answerUnknownRoute: (failed) => partOf(failed).answerUnknownRoute(failed),
}

function partOf({ url }: Pick<FailedRequest, 'url'>): Api<World> {
  return isSubmissionPath(url.pathname) ? submissionApi : tenantApi
}

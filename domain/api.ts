import type { Api } from './create-api.ts'
import { isSubmissionPath } from './forms/routes.ts'
import { submissionApi } from './forms/submission-api.ts'
import type { Route } from './record/endpoint.ts'
import { tenantApi } from './tenant-api.ts'
import type { World } from './world.ts'

/**
 * The interface of the contract: what organizations and their websites call. A host that is started often serves the
 * two parts by themselves, so that a request loads only its own.
 */
export const publicApi: Api<World> = {
  routes: [...tenantApi.routes, ...submissionApi.routes],
  serve: (route, routed, world) => partOf([route]).serve(route, routed, world),
  serveWrongMethod: (ofPath, routed, world) => partOf(ofPath).serveWrongMethod(ofPath, routed, world),
  answerFailure: (ofPath, failed) => partOf(ofPath).answerFailure(ofPath, failed),
  answerUnknownRoute: (url) =>
    (isSubmissionPath(url.pathname) ? submissionApi : tenantApi).answerUnknownRoute(url),
}

function partOf([first]: readonly Route[]): Api<World> {
  return first !== undefined && isSubmissionPath(first.path) ? submissionApi : tenantApi
}

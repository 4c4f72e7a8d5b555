/**
 * The Worker of a developer's machine, which `wrangler dev`, `npm start` and operator commands run: the deployed Worker,
 * with what a deployment is given (a root secret, migrated databases, providers), a demo, and pages of its own. No
 * deployment contains it, and one that did would refuse every request, because each has another host.
 */
import type { MessageBatch } from '@cloudflare/workers-types'
import { dropUnreadBody } from '../../domain/limits/body.ts'
import { ASSETS_PREFIX } from '../pages/paths.ts'
import { systemDeadline } from '../system.ts'
import deployed, { FollowUp as DeployedFollowUp } from '../worker.ts'
import type { Lifetime } from '../wiring/opening.ts'
import { refuseStranger, PreparationFailure, preparedFor, recordAddress, type Given } from './prepare.ts'
import { CRON_PATH, serveLocalPage } from './local-pages.ts'

export { FamilyDatabase } from '../worker.ts'

export default {
  async fetch(request: Request, given: Given, lifetime: Lifetime): Promise<Response> {
    const url = new URL(request.url)
    const answered = await answerLocally(request, url, given, lifetime)
    if (answered === null)
      return deployed.fetch(request, (await preparedFor(given, lifetime)).bindings, lifetime)
    await dropUnreadBody(request, systemDeadline)
    return answered
  },

  async queue(batch: MessageBatch, given: Given, lifetime: Lifetime): Promise<void> {
    await deployed.queue(batch, (await preparedFor(given, lifetime, 'known state')).bindings)
  },

  async scheduled(controller: unknown, given: Given, lifetime: Lifetime): Promise<void> {
    await deployed.scheduled(controller, (await preparedFor(given, lifetime, 'known state')).bindings)
  },
}

/** Processes what the databases of families hand over, with the root secret and the mailbox of the local state. */
export class FollowUp extends DeployedFollowUp {
  protected override async bindings(): Promise<Readonly<Record<string, unknown>>> {
    return (await preparedFor(this.env as Given, this.ctx, 'known state')).bindings
  }
}

/** Answers strangers, and serves what only a local start has. Null: the request is for the service. */
async function answerLocally(
  request: Request,
  url: URL,
  given: Given,
  lifetime: Lifetime,
): Promise<Response | null> {
  const refused = refuseStranger(request, url)
  if (refused !== null) return refused
  if (given.ASSETS !== undefined && url.pathname.startsWith(ASSETS_PREFIX)) return given.ASSETS.fetch(request)
  try {
    const prepared = await preparedFor(given, lifetime)
    recordAddress(url, prepared, lifetime)
    if (url.pathname === CRON_PATH) {
      await deployed.scheduled(null, prepared.bindings)
      return new Response('ok\n')
    }
    return await serveLocalPage(request, url, prepared)
  } catch (error) {
    if (!(error instanceof PreparationFailure)) throw error
    return Response.json({ error: error.message }, { status: 503 })
  }
}

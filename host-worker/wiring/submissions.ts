import { createCloudflareQueue } from '../../adapters/queue-cloudflare/index.ts'
import { createQstashQueue } from '../../adapters/queue-qstash/index.ts'
import { createFormDirectory } from '../../adapters/sqlite/write/submission.ts'
import type { StorageOptions } from '../../adapters/sqlite/placement/guard.ts'
import { createFormCache, submissionApi } from '../../domain/forms/submit.ts'
import { placedForms } from '../../domain/placement/storage/placed-requests.ts'
import type { Queue } from '../../ports/outbox.ts'
import type { Env } from '../env/index.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { systemDeadline, systemFetch, systemPorts } from '../system.ts'
import { backgroundOf, secretsOf, type Opening, type Serve } from './opening.ts'
import { openPlaces } from './places.ts'

/** Kept for the lifetime of the isolate. */
const formCache = createFormCache()

/** Assembles the ports for one submission. */
export async function openSubmissionWorld({ env, lifetime, meter }: Opening) {
  const background = backgroundOf(lifetime)
  const forms = (options: StorageOptions) => ({ forms: createFormDirectory(options) })
  return {
    ...systemPorts,
    background,
    forms: placedForms(openPlaces(env, forms, meter, background)),
    formCache,
    secrets: await secretsOf(env),
    queue: queueOf(env),
  }
}

/** The queue; null when none is configured. */
function queueOf({ queue }: Env): Queue | null {
  if (queue === null) return null
  return queue.kind === 'cloudflare'
    ? createCloudflareQueue(queue.binding)
    : createQstashQueue({ ...queue, fetch: systemFetch, deadline: systemDeadline })
}

const handle = createFetchHandler(submissionApi)

/** Serves what websites call. */
export const serve: Serve = async (request, host, opening) =>
  handle(request, { ...host, world: await openSubmissionWorld(opening) })

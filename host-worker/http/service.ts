import { publicApi } from '../../domain/api.ts'
import { clientApi } from '../../domain/forms/client-api.ts'
import { formPageApi } from '../../domain/forms/page-api.ts'
import { FORM_PAGE_PREFIX } from '../../domain/forms/page-path.ts'
import { sweepImports } from '../../domain/imports/write.ts'
import { sweep } from '../../domain/jobs/deliver.ts'
import { operatorApi } from '../../domain/operator-api.ts'
import { randomBase62 } from '../../domain/text/encoding.ts'
import { sweepRetention } from '../../domain/organizations/retention.ts'
import type { Storage } from '../../ports/storage.ts'
import { createFetchHandler, isConsoleCall, isSignedInRead } from './fetch-handler.ts'
import { importsOf, createWorld, type ServiceWorld, type WorldParts } from './world.ts'
import { serveSignedInRead } from './signed-in-reads.ts'

const handlePublic = createFetchHandler(publicApi)
const handleFormClient = createFetchHandler<ServiceWorld>(clientApi)
const handleFormPages = createFetchHandler<ServiceWorld>(formPageApi)
const handleOperator = createFetchHandler(operatorApi)

/** A whole service without a host. */
export interface Service {
  /** Answers a request: of the public interface, of the form client, for the page of a form, or of operators. Never rejects. */
  fetch(request: Request): Promise<Response>
  /**
   * Does what is due: notifications and automations, interrupted imports, and removing what is kept no longer. Call it
   * once a minute, from one process at a time or from several.
   */
  sweep(): Promise<void>
  /** The ports, for a program that calls the domain itself. */
  readonly world: ServiceWorld
}

/** Makes a service from its parts. No I/O. */
export function createService(
  parts: WorldParts & { readonly storage: Pick<Storage, 'importDirectory' | 'retentionDirectory'> },
): Service {
  const world = createWorld(parts)
  const { clock, log, random } = world
  return {
    world,
    async fetch(request) {
      const startedMs = clock.nowMs()
      const url = new URL(request.url)
      const host = {
        requestId: `req_${randomBase62(16, (length) => random.bytes(length))}`,
        url,
        world,
        answered: (facts: object) => {
          log.info('request', { ...facts, durationMs: clock.nowMs() - startedMs })
        },
      }
      if (isSignedInRead(url.pathname))
        return serveSignedInRead(request, host, (asked, of) => handlePublic(asked, of))
      if (url.pathname.startsWith('/operator/') || isConsoleCall(request, url.pathname))
        return handleOperator(request, host)
      if (url.pathname.startsWith(FORM_PAGE_PREFIX)) return handleFormPages(request, host)
      return url.pathname.startsWith('/forms/')
        ? handleFormClient(request, host)
        : handlePublic(request, host)
    },
    async sweep() {
      const { importDirectory: imports, retentionDirectory: retention } = parts.storage
      await sweep(world)
      await sweepImports({ imports, openImports: importsOf(world), clock, log })
      await sweepRetention({ retention, clock, log })
    },
  }
}

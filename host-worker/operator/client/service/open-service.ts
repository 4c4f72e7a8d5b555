import type { Clock } from '../../../../ports/platform.ts'
import { announcedService } from '../../../local/service-file.ts'
import { byKey, byRootSecret } from '../authorization.ts'
import { callService } from '../call-service.ts'
import type { Choice } from './choose-service.ts'
import { openLocalService, type OpenConnection } from './local-service.ts'
import type { Reach } from '../send-request.ts'
import type { OperatorService } from './operator-service.ts'

/** The dependencies of `openService`. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory of the local state. */
  readonly directory: string
  readonly clock: Clock
  /** How requests are sent; left out: over the network. */
  readonly reach?: Reach
  readonly note: (line: string) => void
}

/** A service, and how to close it. */
export interface OpenedService {
  readonly service: OperatorService
  readonly close: () => Promise<void>
}

/** Opens the chosen service. A given service is not called before the first operation. */
export async function openService(choice: Choice, surroundings: Surroundings): Promise<OpenedService> {
  const { connection, close } = await open(choice, surroundings)
  const { reach } = surroundings
  return { service: callService({ ...connection, ...(reach === undefined ? {} : { reach }) }), close }
}

async function open(
  choice: Choice,
  { environment, directory, clock, note }: Surroundings,
): Promise<OpenConnection> {
  if (choice.kind === 'local') return openLocalService(directory, { key: choice.key, note })
  const { url, key } = choice
  const authorization = key === null ? byRootSecret(environment.ROOT_SECRET ?? '', clock) : byKey(key)
  // The local service is announced at this host only. A service elsewhere needs no local state that can be read.
  const isLocal = new URL(url).hostname === '127.0.0.1' && announcedService(directory) === url
  return {
    connection: { url, stateDirectory: isLocal ? directory : null, authorization },
    close: async () => undefined,
  }
}

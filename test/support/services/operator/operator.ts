import {
  byKey,
  callService,
  type OperatorService,
  type Reach,
} from '../../../../host-worker/operator/client/call-service.ts'
import { runOperator, type Host } from '../../../../host-worker/operator/run-operator.ts'
import type { Terminal } from '../../../../host-worker/operator/command.ts'
import type { Secrets } from '../../../../domain/access/secrets.ts'
import { systemClock } from '../../../../host-worker/system.ts'
import { createScratchStorage } from '../../scratch/scratch-storage.ts'
import { openTestService, type TestService, type TestStorage } from '../service.ts'

/** The result of a command. */
export interface Operated {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The operator's commands, run in this process, on a service in this process. */
export interface TestOperator {
  readonly service: TestService
  /** Sends requests to that service. */
  readonly reach: Reach
  /** The operator key of the commands, which has the role admin. */
  readonly key: string
  readonly run: (...args: readonly string[]) => Promise<Operated>
  /** Runs a command on a terminal of some width; 0: it does not say. */
  readonly runOnTerminal: (width: number, ...args: readonly string[]) => Promise<Operated>
  /**
   * The service, as the commands use it.
   * @param stateDirectory the directory of its local state; null: it has none here
   */
  client(stateDirectory: string | null): OperatorService
}

/** The address at which commands reach a test's service. */
export const TEST_URL = 'https://service.example'

/**
 * A service on an empty storage in memory, and commands for it.
 * @param secrets its root secret; left out: that of every test service
 * @param more parts of its storage in place of those in memory
 */
export async function openTestOperator(
  secrets?: Secrets,
  more: Partial<TestStorage> = {},
): Promise<TestOperator> {
  const service = await openTestService((clock) => ({ ...createScratchStorage({ clock }), ...more }), secrets)
  const key = await service.addOperatorKey('admin')
  const reach = reachOf(service)
  const environment = { OPERATOR_URL: TEST_URL, OPERATOR_KEY: key, XDG_CONFIG_HOME: '/nonexistent' }
  return {
    service,
    reach,
    key,
    run: (...args) => operate(args, { environment, reach }),
    runOnTerminal: (width, ...args) => operate(args, { environment, reach }, { width, hasColour: false }),
    client: (stateDirectory) =>
      callService({ url: TEST_URL, stateDirectory, authorization: byKey(key), reach }),
  }
}

/** Sends requests to a test's service. Every answer is checked against the document of the interface. */
export function reachOf(service: TestService): Reach {
  return async (request) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const { method, headers } = request
    return service.send(request.url, { method, headers, ...(body.length === 0 ? {} : { body }) })
  }
}

/**
 * Runs one command with this environment. Parts that are left out default to: no state, no deployment and nobody to
 * ask.
 */
export async function operate(
  args: readonly string[],
  host: Partial<Host>,
  terminal: Terminal | null = null,
): Promise<Operated> {
  let stdout = ''
  let stderr = ''
  const streams = {
    out: (line: string) => (stdout += `${line}\n`),
    note: (line: string) => (stderr += `${line}\n`),
    terminal,
  }
  const code = await runOperator(args, streams, {
    clock: systemClock,
    environment: {},
    directory: '/nonexistent/state',
    deployed: () => ({ problem: 'There is no deployment.' }),
    askKey: async () => '',
    program: 'npm run -s operator --',
    ...host,
  })
  return { code, stdout, stderr }
}

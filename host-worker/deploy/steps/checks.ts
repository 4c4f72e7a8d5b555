import type { Deployment, Step } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'
import { operatorKeyOf } from './operator-key.ts'

const ANSWERS_WITHIN_MS = 5 * 60_000
const PAUSE_MS = 3_000

/** Waits until the service answers: a new host needs a certificate first. */
export const answers: Step = {
  name: 'Answer',
  isDone: async () => null,
  plan: ({ url }) =>
    `wait until ${url ?? ''}/health says ok, for ${ANSWERS_WITHIN_MS / 60_000} minutes at most`,
  run: async (deployment) => {
    const { ports } = deployment
    const startedMs = ports.clock.nowMs()
    for (;;) {
      const problem = await problemOf(deployment, health)
      if (problem === null) return `${deployment.url ?? ''}/health says ok`
      const waitedMs = ports.clock.nowMs() - startedMs
      // A service that says what it lacks does not get it by waiting.
      if (waitedMs > ANSWERS_WITHIN_MS || problem.includes('not configured'))
        throw new DeployError(
          `${deployment.url ?? ''} does not answer as it should: ${problem}.`,
          'A new host can take longer than that. If it goes on, "npx wrangler tail" shows what the service says.',
        )
      await ports.pause(PAUSE_MS)
      if (ports.interrupted.aborted) throw new Error('interrupted')
    }
  },
}

/** A request by which a deployment is checked. */
interface Probe {
  readonly what: string
  readonly path: string
  readonly init?: (deployment: Deployment) => RequestInit
  readonly status: number
  readonly body: RegExp
}

const health: Probe = { what: 'health', path: '/health', status: 200, body: /"ok"/ }

const probes: readonly Probe[] = [
  { what: 'the contract document', path: '/api/v1/openapi.json', status: 200, body: /"openapi":\s*"3\.1/ },
  { what: '401 without a key', path: '/api/v1/contacts', status: 401, body: /"error"/ },
  {
    what: '404 for a form that is not there',
    path: '/api/forms/no-such-form/submissions',
    init: () => ({ method: 'POST', body: new URLSearchParams({ email: 'nobody@example.com' }) }),
    status: 404,
    body: /"not_found"|"error"|"code"/,
  },
  { what: 'the script of the reference', path: '/assets/reference/reference.js', status: 200, body: /./ },
  {
    what: 'the operator key',
    path: '/operator/v1/organizations?limit=1',
    init: (deployment) => ({ headers: { authorization: `Bearer ${operatorKeyOf(deployment) ?? ''}` } }),
    status: 200,
    body: /"data"/,
  },
]

/** Asks the deployed service a handful of questions, one for each part that could be missing. */
export const checks: Step = {
  name: 'Checks',
  isDone: async () => null,
  plan: () => `ask for ${probes.map(({ what }) => what).join(', ')}`,
  run: async (deployment) => {
    const problems: string[] = []
    for (const probe of probes) {
      const problem = await problemOf(deployment, probe)
      if (problem !== null) problems.push(`${probe.what}: ${problem}`)
    }
    if (problems.length > 0)
      throw new DeployError(
        `${problems.join('. ')}.`,
        '"npx wrangler tail" shows what the service says; "npx wrangler rollback" brings the version before back.',
      )
    return `${probes.map(({ what }) => what).join(', ')}: as they should be`
  },
}

/** What is wrong with the answer to a request; null: nothing. */
async function problemOf(
  deployment: Deployment,
  { path, init, status, body }: Probe,
): Promise<string | null> {
  try {
    const request = new Request(`${deployment.url ?? ''}${path}`, {
      ...init?.(deployment),
      signal: AbortSignal.timeout(30_000),
    })
    const response = await deployment.ports.reach(request)
    const text = await response.text()
    if (response.status === status && body.test(text)) return null
    return `${path} answered ${response.status}: ${text.slice(0, 300)}`
  } catch (error) {
    const { cause, message } = error as Error
    return `${path} was not answered (${cause instanceof Error ? cause.message : message})`
  }
}

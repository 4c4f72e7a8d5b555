import { issueOperatorKeyEndpoint } from '../../domain/operators/endpoints/keys/operator-keys.ts'
import { getHealth } from '../../domain/operators/endpoints/service/health.ts'
import { byKey, byRootSecret, type Authorization } from '../operator/client/authorization.ts'
import { callService } from '../operator/client/call-service.ts'
import { CommandError, Refusal } from '../operator/client/errors.ts'
import { loginPath, readLogin, writeLogin } from '../operator/client/login-file.ts'
import type { Deployment } from './deployment.ts'

/** A request by which a deployment is checked, and the answer to expect. */
interface Probe {
  readonly path: string
  readonly init?: RequestInit
  readonly status: number
  readonly body: RegExp
}

const health: Probe = { path: '/health', status: 200, body: /"ok"/ }

/** A handful of questions, one for each part that could be missing. */
const probes: readonly Probe[] = [
  { path: '/api/v1/openapi.json', status: 200, body: /"openapi":\s*"3\.1/ },
  { path: '/api/v1/contacts', status: 401, body: /"error"/ },
  {
    path: '/api/forms/no-such-form/submissions',
    init: { method: 'POST', body: new URLSearchParams({ email: 'nobody@example.com' }) },
    status: 404,
    body: /"not_found"|"error"|"code"/,
  },
  { path: '/assets/reference/reference.js', status: 200, body: /./ },
]

const ANSWERS_WITHIN_MS = 5 * 60_000

/** Waits until the service answers, because a new host needs a certificate first, and then checks what it answers. */
export async function answers(deployment: Deployment): Promise<string> {
  const { url, options, world } = deployment
  const asked = [health, ...probes].map(({ path }) => path).join(', ')
  if (options['dry-run']) return `would be waited for, at ${url}, and asked for ${asked}`
  const startedMs = world.clock.nowMs()
  for (;;) {
    const problem = await problemOf(deployment, health)
    if (problem === null) break
    // A service that says what it lacks does not get it by waiting.
    if (world.clock.nowMs() - startedMs > ANSWERS_WITHIN_MS || problem.includes('not configured'))
      throw new Error(
        `${url} does not answer as it should: ${problem}. A new host can take longer than that. If it goes on, "npx wrangler tail" shows what the service says.`,
      )
    await world.pause(3_000)
    world.interrupted.throwIfAborted()
  }
  const found = await Promise.all(probes.map((probe) => problemOf(deployment, probe)))
  const problems = found.filter((problem) => problem !== null)
  if (problems.length === 0) return `${asked} are as they should be`
  throw new Error(
    `${problems.join('. ')}. "npx wrangler tail" shows what the service says; "npx wrangler rollback" brings the version before back.`,
  )
}

/** What is wrong with the answer to a request; null: nothing. */
async function problemOf(
  { url, world }: Deployment,
  { path, init, status, body }: Probe,
): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(30_000)
    const response = await world.reach(new Request(`${url}${path}`, { ...init, signal }))
    const text = await response.text()
    if (response.status === status && body.test(text)) return null
    return `${path} answered ${response.status}: ${text.slice(0, 300)}`
  } catch (error) {
    const { cause, message } = error as Error
    return `${path} was not answered (${cause instanceof Error ? cause.message : message})`
  }
}

/**
 * Issues the first operator key with a proof of the root secret, and stores it as `operator login` does. When this user
 * is logged in to another service, the key is kept beside the root secret instead.
 */
export async function operatorKey({ account, kept, options, url, world }: Deployment): Promise<string> {
  const { clock, environment, reach } = world
  const service = (authorization: Authorization) =>
    callService({ url, stateDirectory: null, authorization, reach })
  const path = loginPath(environment)
  const stored = readLogin(path)
  const key = stored?.url === url ? stored.key : kept.get('OPERATOR_KEY')
  if (key !== null && account !== null)
    try {
      const { body } = await service(byKey(key)).call(getHealth)
      return `works, in the name of ${body.operator} (${body.role})`
    } catch (error) {
      // A key that was revoked or ended is replaced. In a dry run, the service of an earlier deployment may be gone.
      if (!isRefused(error) && !(options['dry-run'] && error instanceof CommandError)) throw error
    }
  const operator = options.operator ?? world.userName()
  const isLogin = stored === null || stored.url === url
  const store = isLogin ? path : kept.path
  if (options['dry-run'])
    return `would issue one with the role admin to ${operator}, and store it in ${store}`
  const root = kept.get('ROOT_SECRET')
  if (root === null)
    throw new Error(
      `There is no operator key for ${url} on this machine, and the root secret that could make one is not in ${kept.path}. Log in with a key that you have ("npm run operator -- login --url ${url}"), or put the line ROOT_SECRET=… into ${kept.path}.`,
    )
  const { body } = await service(byRootSecret(root, clock))
    .call(issueOperatorKeyEndpoint, { body: { operator, role: 'admin' } })
    .catch((error: unknown) => {
      if (!isRefused(error)) throw error
      throw new Error(
        `The service at ${url} has another root secret than ${kept.path}, or the clock of this machine is minutes off. Put the root secret of the service into that file: a rotation has changed it.`,
      )
    })
  if (isLogin) writeLogin(path, { url, key: body.key })
  else kept.keep('OPERATOR_KEY', body.key)
  return `issued to ${operator} and stored in ${store}`
}

/** Whether the service does not accept the key, or the proof. */
function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401
}

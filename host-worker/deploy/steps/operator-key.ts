import { issueOperatorKeyEndpoint } from '../../../domain/operators/endpoints/keys/operator-keys.ts'
import { getHealth } from '../../../domain/operators/endpoints/service/health.ts'
import { projectRoot } from '../../local/root.ts'
import { stateDirectory } from '../../local/state.ts'
import { loginPath, readLogin, writeLogin } from '../../operator/client/login-file.ts'
import type { OperatorService } from '../../operator/client/service/operator-service.ts'
import { openService } from '../../operator/client/service/open-service.ts'
import { CommandError, Refusal } from '../../operator/client/errors.ts'
import type { Deployment, Step } from '../deployment.ts'
import { DeployError } from '../deploy-error.ts'

/**
 * Issues the first operator key with a proof of the root secret, and stores it as `operator login` does. When this user
 * is logged in to another service, the key is kept beside the root secret instead.
 */
export const operatorKey: Step = {
  name: 'Operator key',
  isDone: async (deployment) => {
    const key = operatorKeyOf(deployment)
    if (key === null || deployment.account === null) return null
    try {
      const { body } = await (await open(deployment, key)).call(getHealth)
      return `works, in the name of ${body.operator} (${body.role})`
    } catch (error) {
      // A key that was revoked or ended is replaced. In a dry run, the service of an earlier deployment may be gone.
      if (isRefused(error) || (deployment.options.isDryRun && error instanceof CommandError)) return null
      throw error
    }
  },
  plan: (deployment) =>
    `issue one with the role admin to ${deployment.options.operator}, and store it in ${storeOf(deployment)}`,
  run: async (deployment) => {
    const { kept, options, ports } = deployment
    if (kept.get('ROOT_SECRET') === null)
      throw new DeployError(
        `There is no operator key for ${deployment.url ?? ''} on this machine, and the root secret that could make one is not in ${kept.path}.`,
        `Log in with a key that you have ("npm run operator -- login --url ${deployment.url ?? ''}"), or put the line ROOT_SECRET=… into ${kept.path}.`,
      )
    const service = await open(deployment, null)
    const { body } = await service
      .call(issueOperatorKeyEndpoint, { body: { operator: options.operator, role: 'admin' } })
      .catch((error: unknown) => {
        throw isRefused(error) ? notItsSecret(deployment) : error
      })
    const path = loginPath(ports.environment)
    const store = storeOf(deployment)
    if (store === path) writeLogin(path, { url: deployment.url ?? '', key: body.key })
    else kept.keep('OPERATOR_KEY', body.key)
    return `issued to ${options.operator} and stored in ${store}`
  },
}

/** Whether the service does not accept the key, or the proof. */
function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401
}

function notItsSecret({ url, kept }: Deployment): DeployError {
  return new DeployError(
    `The service at ${url ?? ''} has another root secret than ${kept.path}, or the clock of this machine is minutes off.`,
    'Put the root secret of the service into that file: a rotation has changed it.',
  )
}

/** The operator key of a deployment on this machine; null: there is none. */
export function operatorKeyOf({ ports, url, kept }: Deployment): string | null {
  const stored = readLogin(loginPath(ports.environment))
  return stored?.url === url ? stored.key : kept.get('OPERATOR_KEY')
}

function storeOf({ ports, url, kept }: Deployment): string {
  const path = loginPath(ports.environment)
  const stored = readLogin(path)
  return stored === null || stored.url === url ? path : kept.path
}

async function open({ url, kept, ports }: Deployment, key: string | null): Promise<OperatorService> {
  const { service } = await openService(
    { kind: 'given', url: url ?? '', key },
    {
      environment: { ROOT_SECRET: kept.get('ROOT_SECRET') ?? '' },
      directory: stateDirectory(projectRoot),
      clock: ports.clock,
      reach: ports.reach,
      note: ports.note,
    },
  )
  return service
}

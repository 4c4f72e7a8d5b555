import { readOperatorKey } from '../../../domain/access/operator-credentials.ts'
import { issueOperatorKeyEndpoint } from '../../../domain/operators/endpoints/keys/operator-keys.ts'
import { getHealth } from '../../../domain/operators/endpoints/service/health.ts'
import { readEnv } from '../../env/index.ts'
import { byKey, byRootSecret, type Authorization } from '../../operator/client/authorization.ts'
import { callService } from '../../operator/client/call-service.ts'
import { Refusal } from '../../operator/client/errors.ts'
import type { OperatorService } from '../../operator/client/service/operator-service.ts'
import { systemClock } from '../../system.ts'
import { createMeter, type Lifetime } from '../../wiring/opening.ts'
import { serve } from '../../wiring/operators.ts'
import type { Kept } from '../kept.ts'
import { seedDemo } from './seed.ts'

/** The operator's name in the operator key that a local start makes. */
const LOCAL_OPERATOR = 'local'

/**
 * Makes the demo organizations with a key each, and an operator key, unless the state has them. Everything is done
 * through the operator interface, as an operator would. With a configuration that is refused it does nothing.
 */
export async function prepareDemo(
  bindings: Readonly<Record<string, unknown>> & { readonly ROOT_SECRET: string },
  kept: Kept,
  lifetime: Lifetime,
): Promise<void> {
  const reading = readEnv(bindings)
  if (!reading.ok) return
  const reach = async (request: Request) =>
    serve(
      request,
      { requestId: 'local-start', answered: () => undefined },
      { env: reading.env, lifetime, meter: createMeter() },
    )
  const serviceFor = (authorization: Authorization) =>
    callService({ url: 'http://localhost', stateDirectory: null, authorization, reach })
  const operatorKey = await operatorKeyOf(kept, serviceFor, bindings.ROOT_SECRET)
  await seedDemo(serviceFor(byKey(operatorKey)), kept)
}

/** The operator key that the state keeps, or a new one when it is missing or does not work. */
async function operatorKeyOf(
  kept: Kept,
  serviceFor: (authorization: Authorization) => OperatorService,
  rootSecret: string,
): Promise<string> {
  const known = await kept.read('operator-key')
  if (known !== null && readOperatorKey(known) !== null && (await works(serviceFor(byKey(known)))))
    return known
  const holder = serviceFor(byRootSecret(rootSecret, systemClock))
  const { key } = (
    await holder.call(issueOperatorKeyEndpoint, { body: { operator: LOCAL_OPERATOR, role: 'admin' } })
  ).body
  await kept.write('operator-key', key)
  return key
}

async function works(service: OperatorService): Promise<boolean> {
  try {
    await service.call(getHealth)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

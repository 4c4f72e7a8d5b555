import {
  OPERATOR_KEY_PREFIX,
  readOperatorKey,
  proveRootSecret,
  type ProvenRequest,
} from '../../../domain/access/operator-credentials.ts'
import { openSecrets, rootSecretProblem } from '../../../domain/access/secrets.ts'
import type { Clock } from '../../../ports/platform.ts'
import { CommandError } from './errors.ts'

/** Makes the `Authorization` header of a request to this host with this body. */
export type Authorization = (request: ProvenRequest) => Promise<string>

/**
 * Authorization with an operator key. Throws a `CommandError` for text that cannot be an operator key, so that it is
 * never sent.
 */
export function byKey(key: string): Authorization {
  if (readOperatorKey(key) === null)
    throw new CommandError(
      `The operator key is not one: it begins with ${OPERATOR_KEY_PREFIX} and must be complete. Keys of organizations and of the platform are refused here.`,
    )
  return async () => `Bearer ${key}`
}

/**
 * Authorization with a proof of the root secret, which itself is not sent. Throws a `CommandError` for text that cannot
 * be a root secret.
 */
export function byRootSecret(rootSecret: string, clock: Clock): Authorization {
  const problem = rootSecretProblem(rootSecret)
  if (problem !== null) throw new CommandError(`ROOT_SECRET ${problem}.`)
  return async (request) => {
    const { current } = await openSecrets(rootSecret, null)
    return proveRootSecret(current, request, clock.nowMs())
  }
}

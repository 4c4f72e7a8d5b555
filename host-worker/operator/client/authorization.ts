import { readOperatorKey } from '../../../domain/access/operator-key.ts'
import { proveRootSecret } from '../../../domain/access/root-secret-proof.ts'
import { openSecrets, rootSecretProblem } from '../../../domain/access/secrets.ts'
import type { Clock } from '../../../ports/clock.ts'
import { CommandError } from './errors.ts'

/** Makes the `Authorization` header of a request with this body. */
export type Authorization = (body: Uint8Array<ArrayBuffer>) => Promise<string>

/** The header with an operator key. Throws a `CommandError` for text that cannot be one, which is sent nowhere. */
export function byKey(key: string): Authorization {
  if (readOperatorKey(key) === null)
    throw new CommandError(
      'The operator key is not one: it begins with ok_live_ and must be complete. Keys of organizations and of the platform are refused here.',
    )
  return async () => `Bearer ${key}`
}

/** The header that proves the root secret, which itself is not sent. Throws a `CommandError` when it cannot be one. */
export function byRootSecret(rootSecret: string, clock: Clock): Authorization {
  const problem = rootSecretProblem(rootSecret)
  if (problem !== null) throw new CommandError(`ROOT_SECRET ${problem}.`)
  return async (body) => {
    const { current } = await openSecrets(rootSecret, null)
    return proveRootSecret(current, body, clock.nowMs())
  }
}

import { testSecrets } from '../../../support/runner/fakes.ts'
import type { Secrets } from '../../../../domain/access/secrets.ts'

/** The root secrets with which processes start. */
export interface RootSecrets {
  current(): Secrets
  /** Takes the next step of the rotation. False: there is none. */
  advance(): boolean
}

/**
 * A rotation in two deployments, as the manual says: first every process learns the new secret, then it becomes the
 * current one. So a process never meets a hash under a secret that it does not know.
 * @param isAtOnce whether the first deployment is left out
 */
export async function openRootSecrets(isAtOnce: boolean): Promise<RootSecrets> {
  const steps = [
    await testSecrets(1),
    ...(isAtOnce ? [] : [await testSecrets(1, 2)]),
    await testSecrets(2, 1),
  ] as const
  const [first] = steps
  let step = 0
  return {
    current: () => steps[step] ?? first,
    advance() {
      if (step === steps.length - 1) return false
      step += 1
      return true
    },
  }
}

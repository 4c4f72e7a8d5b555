import { hashFormPassword, verifyFormPassword } from '../../domain/forms/submit/password.ts'
import type { FormPasswords } from '../../domain/imports/form-kind.ts'
import type { Secrets } from '../../domain/access/secrets.ts'
import { systemRandom } from '../system.ts'

/** Form passwords under the root secret, which is asked for only when there is a password. */
export function formPasswords(secrets: () => Promise<Secrets>): FormPasswords {
  return {
    hash: async (password) => hashFormPassword(password, await secrets(), systemRandom),
    verify: async (password, stored) => (await verifyFormPassword(password, stored, await secrets())).ok,
  }
}

import type { OperatorRole } from '../../../../ports/organizations.ts'
import { answerOf, type Answer, type TestRequest, type TestService } from '../service.ts'

/** The fields of a list's item that tests read. */
interface OperatorItem {
  readonly outboxId: string
  readonly name: string
  readonly state: string
  readonly warnings: readonly string[]
  readonly problems: readonly { readonly field: string }[]
  readonly findings: readonly { readonly kind: string; readonly place: string }[]
}

/** The fields of answers that tests read, all in one type. Each test knows which of them its answer has. */
interface OperatorBody {
  readonly error: string
  readonly data: readonly OperatorItem[]
  readonly pagination: { readonly nextCursor: string | null }
  readonly key: string
  readonly keyId: string
  readonly kind: string
  readonly organizationId: string | null
  readonly expiresAt: string | null
  readonly operatorKeyId: string
}

/** An answer of the operator interface: its status, and its body, which is null if there is none. */
export type OperatorAnswer = Omit<Answer<OperatorBody>, 'etag'>

/** Calls the operator interface with a key of its own. Paths are relative to `/operator/v1`. */
export interface OperatorClient {
  readonly key: string
  get(path: string): Promise<OperatorAnswer>
  post(path: string, body?: unknown): Promise<OperatorAnswer>
}

/** A client with a new key of this role. */
export async function openOperatorClient(
  service: TestService,
  role: OperatorRole = 'admin',
): Promise<OperatorClient> {
  return operatorClient(service, await service.addOperatorKey(role))
}

/** A client with this key. */
export function operatorClient(service: TestService, key: string): OperatorClient {
  const answer = async (path: string, init: TestRequest): Promise<OperatorAnswer> => {
    const { status, body } = await answerOf<OperatorBody>(
      await service.send(`/operator/v1${path}`, { ...init, key }),
    )
    return { status, body }
  }
  return {
    key,
    get: (path) => answer(path, {}),
    post: (path, json) => answer(path, { method: 'POST', json }),
  }
}

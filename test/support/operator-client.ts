import type { OperatorRole } from '../../ports/operator-keys.ts'
import type { TestService } from './service.ts'

/** An answer of the operator interface: its status, and its body, null without one. */
export interface OperatorAnswer {
  readonly status: number
  // The tests look into bodies of every operation.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any
}

/** Asks the operator interface with a key of its own. Paths are those behind `/operator/v1`. */
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
  const key = await service.addOperatorKey(role)
  const answer = async (path: string, init: RequestInit): Promise<OperatorAnswer> => {
    const response = await service.send(`/operator/v1${path}`, { ...init, key })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  return {
    key,
    get: (path) => answer(path, {}),
    post: (path, body) =>
      answer(path, {
        method: 'POST',
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
  }
}

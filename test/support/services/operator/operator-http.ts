import { proveRootSecret } from '../../../../domain/access/operator-credentials.ts'
import type { Secrets } from '../../../../domain/access/secrets.ts'
import { utf8 } from '../../../../domain/text/encoding.ts'
import type { OperatorCall } from '../../../../host-worker/operator/client/import-client.ts'

/** Issues an operator key with the role admin, as the holder of the root secret. */
export async function issueAdminKey(origin: string, { current }: Secrets): Promise<string> {
  const body = utf8(JSON.stringify({ operator: 'test', role: 'admin' }))
  const response = await fetch(`${origin}/operator/v1/operator-keys`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: await proveRootSecret(current, { host: new URL(origin).host, body }, Date.now()),
    },
    body,
  })
  if (!response.ok) throw new Error(`No operator key was issued: ${await response.text()}`)
  return ((await response.json()) as { readonly key: string }).key
}

/** Makes requests to the operator interface of a listening service, with a key. */
export function operatorCall(origin: string, key: string): OperatorCall {
  return (method, path, { headers = {}, body } = {}) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    })
}

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { createClient, type Client } from '../service/client.ts'
import { Failure } from '../service/failure.ts'
import type { BodyOf } from '../service/operations.ts'

/** What an operator may do; `admin` may do everything. */
export type Role = BodyOf<'health.get'>['role']

/** Who is signed in. The key itself is known to nobody but the client. */
export type Identity =
  | { readonly kind: 'operator'; readonly name: string; readonly role: Role; readonly keyId: string | null }
  | { readonly kind: 'tenant'; readonly organizationId: string }

/** An identity with the client of its key. */
export interface Session {
  readonly identity: Identity
  readonly client: Client
}

const OPERATOR_KEY = /^ok_live_\w+$/
const TENANT_KEY = /^ck_live_([\w-]+)_\w+$/

/**
 * Signs in with a key: its prefix says to which interface, and a call whether it is accepted. Throws a `Failure`.
 * @param onEnded called when the service stops accepting the key
 */
export async function signIn(key: string, onEnded: () => void): Promise<Session> {
  let isIn = false
  const client = createClient(key, () => {
    if (isIn) onEnded()
  })
  const identity = await identify(key, client)
  isIn = true
  return { client, identity }
}

async function identify(key: string, client: Client): Promise<Identity> {
  if (OPERATOR_KEY.test(key)) {
    const { operator: name, role, operatorKeyId: keyId } = await client.call('health.get')
    return { kind: 'operator', name, role, keyId }
  }
  const organizationId = TENANT_KEY.exec(key)?.[1]
  if (organizationId === undefined)
    throw new Failure(
      'refused',
      'This is not a key of this service. An operator key begins with ok_live_, a tenant key with ck_live_.',
    )
  await client.read('/api/v1/sites', { limit: 1 })
  return { kind: 'tenant', organizationId }
}

export const IdentityContext = createContext<Identity | null>(null)

/** Who is signed in. Only for components within a session. */
export function useIdentity(): Identity {
  const identity = useContext(IdentityContext)
  if (identity === null) throw new Error('Nobody is signed in')
  return identity
}

/** Whether an identity may do what needs this role. */
export function may(identity: Identity, role: Role): boolean {
  return identity.kind === 'operator' && (role === 'support' || identity.role === 'admin')
}

/** Whether who is signed in may do what needs this role. Controls that one may not use are not shown. */
export function useMay(role: Role): boolean {
  return may(useIdentity(), role)
}

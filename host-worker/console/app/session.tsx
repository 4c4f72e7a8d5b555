import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button, TextField } from './kit/controls.tsx'
import { Card, Facts, PageHeader } from './kit/page.tsx'
import { Failure, createClient, failureOf, type Client } from './service/client.ts'
import type { BodyOf } from './service/operations.ts'

/** What an operator may do; `admin` may do everything. */
export type Role = BodyOf<'health.get'>['role']

/** Who is signed in. The key itself is known to nobody but the client. */
export type Identity =
  | { readonly kind: 'operator'; readonly name: string; readonly role: Role; readonly keyId: string | null }
  | { readonly kind: 'tenant'; readonly organizationId: string }

/** An identity with the client of its key. */
interface Session {
  readonly identity: Identity
  readonly client: Client
}

const OPERATOR_KEY = /^ok_live_\w+$/
const TENANT_KEY = /^ck_live_([\w-]+)_\w+$/

/**
 * Signs in with a key: its prefix says to which interface, and a call whether it is accepted. Throws a `Failure`.
 * @param onEnded called when the service stops accepting the key
 */
async function signIn(key: string, onEnded: () => void): Promise<Session> {
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

/** The page of whoever is not signed in. */
export function SignIn({ isSigningIn, notice, signInWith }: SessionState) {
  const [key, setKey] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = 'Sign in – Console'
    heading.current?.focus()
  }, [])
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() !== '') signInWith(key)
        }}
      >
        <h1 ref={heading} tabIndex={-1}>
          Console
        </h1>
        <p class="soft">Sign in with an operator key or the key of an organization.</p>
        <div role="status">{notice !== null && <p class="notice">{notice}</p>}</div>
        <TextField
          label="Key"
          hint="It begins with ok_live_ or ck_live_. Only this tab knows it, until you sign out or leave."
          type="password"
          name="key"
          autocomplete="off"
          spellcheck={false}
          required
          value={key}
          onValue={setKey}
        />
        <Button kind="primary" type="submit" isRunning={isSigningIn}>
          Sign in
        </Button>
      </form>
    </main>
  )
}

/** The session of this tab, which lives in its memory alone. */
interface SessionState {
  /** Null: nobody is signed in. */
  readonly session: Session | null
  readonly isSigningIn: boolean
  /** What whoever signs in should know; null: nothing. */
  readonly notice: string | null
  readonly signInWith: (key: string) => void
  readonly signOut: () => void
}

const OUT = { session: null, isSigningIn: false, notice: null } as const

const ENDED =
  'You were signed out: the key is no longer accepted, because it expired or was revoked. Sign in with another one.'

/** Signs in and out. The address stays as it is, so that signing in again leads to the same place. */
export function useSession(firstKey: string | null): SessionState {
  const [state, setState] = useState<Pick<SessionState, 'session' | 'isSigningIn' | 'notice'>>({
    ...OUT,
    isSigningIn: firstKey !== null,
  })
  // An answer to an earlier sign-in, or the end of an earlier session, must not touch the present one.
  const latest = useRef(0)
  const signInWith = useCallback((key: string) => {
    const attempt = (latest.current += 1)
    const settle = (next: typeof state): void => {
      if (attempt === latest.current) setState(next)
    }
    setState({ ...OUT, isSigningIn: true })
    const onEnded = (): void => {
      settle({ ...OUT, notice: ENDED })
    }
    signIn(key.trim(), onEnded).then(
      (session) => {
        settle({ ...OUT, session })
      },
      (thrown: unknown) => {
        settle({ ...OUT, notice: failureOf(thrown).message })
      },
    )
  }, [])
  const signOut = useCallback(() => {
    latest.current += 1
    setState({ ...OUT, notice: 'You are signed out. This tab has forgotten the key.' })
  }, [])
  useEffect(() => {
    if (firstKey !== null) signInWith(firstKey)
    // A link with a key that is opened in this tab changes the fragment alone, without loading the page.
    const onFragment = (): void => {
      const key = takeKeyFromAddress()
      if (key !== null) signInWith(key)
    }
    window.addEventListener('hashchange', onFragment)
    return () => {
      window.removeEventListener('hashchange', onFragment)
    }
  }, [])
  return { ...state, signInWith, signOut }
}

const KEY_FRAGMENT = /^#((?:ok|ck)_live_[\w-]+)$/

/**
 * Takes the key out of the address, where the link of `npm start` has it, before anything else can see it there. Null:
 * there is none.
 */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location
  const key = KEY_FRAGMENT.exec(hash)?.[1] ?? null
  if (key !== null) window.history.replaceState(null, '', pathname + search)
  return key
}

/** The home page of a tenant: whose key this is, and where everything is. */
export function Home() {
  const identity = useIdentity()
  const organizationId = identity.kind === 'tenant' ? identity.organizationId : ''
  return (
    <>
      <PageHeader title="Home" />
      <Card title="Organization">
        <Facts
          facts={[
            ['Identifier', <code key="id">{organizationId}</code>],
            [
              'Data',
              <Link key="data" href="/data">
                Every collection, to look through
              </Link>,
            ],
            [
              'Analytics',
              <Link key="analytics" href="/analytics">
                Cancellations, offers, cohorts and members, in charts and tables
              </Link>,
            ],
            [
              'Reference',
              <a key="docs" href="/docs">
                Every operation, to try with this key
              </a>,
            ],
          ]}
        />
      </Card>
    </>
  )
}

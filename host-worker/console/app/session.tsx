import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { jsonContent } from '../../../domain/text/http.ts'
import { Button, TextField } from './kit/controls.tsx'
import { Card, Facts, PageHeader } from './kit/page.tsx'
import { operatorKeyIn, takeFromAddress, type Credentials } from './service/begun.ts'
import { Failure, createClient, failureOf, openSession, type Client } from './service/client.ts'
import type { BodyOf, OperationId } from './service/operations.ts'

/** Who is signed in, and what each of their roles opens: what the service says. */
export type Identity = BodyOf<'me.get'>

/** An identity with the client of its session. */
interface Session {
  readonly identity: Identity
  readonly client: Client
}

/** The organization of which a key signed in; null: something else did. */
export function ownOrganization({ organizations }: Identity): string | null {
  return organizations.find(({ role }) => role === 'key')?.organizationId ?? null
}

/** Somebody who is signed in, or is known and about to be. */
interface Entered extends Session {
  /** Settled once this browser has the session. Until then whatever is asked for waits. */
  readonly opened: Promise<unknown>
}

/** Signs in, if that is asked for, and finds out who is signed in. Throws a `Failure`. */
async function enter(credentials: Credentials | null, onEnded: () => void): Promise<Entered> {
  let isIn = false
  const ended = (): void => {
    if (isIn) onEnded()
  }
  const open = createClient(null, ended)
  if (credentials !== null && 'key' in credentials && !/^(?:ok|ck)_live_/.test(credentials.key))
    throw new Failure('refused', NO_KEY)
  // An operator key tells by itself whose it is, so the first view does not wait for the session.
  const key = operatorKeyIn(credentials)
  const asked = key === null ? null : createClient(null, () => undefined, key).call('me.get')
  const opened = credentials === null ? Promise.resolve() : openSession(credentials)
  if (asked === null) await opened
  const identity = await (asked ?? open.call('me.get'))
  isIn = true
  const organizationId = ownOrganization(identity)
  return { identity, client: organizationId === null ? open : createClient(organizationId, ended), opened }
}

const NO_KEY =
  'This is not a key of this service. An operator key begins with ok_live_, a tenant key with ck_live_.'

export const IdentityContext = createContext<Identity | null>(null)

/** Who is signed in. Only for components within a session. */
export function useIdentity(): Identity {
  const identity = useContext(IdentityContext)
  if (identity === null) throw new Error('Nobody is signed in')
  return identity
}

/**
 * Whether an identity may use an operation.
 * @param organizationId where; null: anywhere
 */
export function may(
  { role, organizations, may: opened }: Identity,
  id: OperationId,
  organizationId: string | null,
): boolean {
  const there = organizations.filter(
    (one) => organizationId === null || one.organizationId === organizationId,
  )
  const roles: readonly string[] = [...(role === null ? [] : [role]), ...there.map((one) => one.role)]
  return roles.some((each) => opened[each]?.includes(id) === true)
}

/** Whether who is signed in may use an operation in the organization of the address. Controls for others are not shown. */
export function useMay(id: OperationId): boolean {
  const [location] = useLocation()
  return may(useIdentity(), id, organizationIn(location))
}

/**
 * The addresses after `/api/v1/` at which whoever is signed in reads an organization; one that ends with `/` stands for all
 * that are below. Null: at all addresses.
 */
export function readsOf(
  { role, organizations, reads }: Identity,
  organizationId: string,
): readonly string[] | null {
  const there = organizations.filter((one) => one.organizationId === organizationId)
  const limited = there.map((one) => reads[one.role] ?? null)
  return role !== null || limited.length === 0 || limited.includes(null)
    ? null
    : limited.flatMap((one) => one ?? [])
}

/** The organization that an address below the console names; null: none. */
export function organizationIn(location: string): string | null {
  const [, id] = /^\/organizations\/([^/]+)/.exec(location) ?? []
  return id === undefined ? null : decodeURIComponent(id)
}

/** The page of whoever is not signed in. */
export function SignIn({ isSigningIn, notice, signInWith }: SessionState) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    setSaid(notice)
  }, [notice, isSigningIn])
  const [takesEmail, setTakesEmail] = useState<boolean | null>(null)
  useEffect(() => {
    document.title = 'Sign in – Console'
    heading.current?.focus()
    createClient(null, () => undefined)
      .read<{ readonly email: boolean }>('/console/sign-in/ways')
      .then(({ email }) => {
        setTakesEmail(email)
      })
      .catch(() => {
        setTakesEmail(true)
      })
  }, [])
  return (
    <main class="sign-in">
      <div class="card">
        <h1 ref={heading} tabIndex={-1}>
          Console
        </h1>
        <div role="status">{said !== null && <p class="notice">{said}</p>}</div>
        {takesEmail === false && <p class="soft">This service sends no email, so it takes keys only.</p>}
        {takesEmail === true && <EmailForm onSaid={setSaid} />}
        <KeyForm isSigningIn={isSigningIn} signInWith={signInWith} />
      </div>
    </main>
  )
}

/** Asks for a link. What it says is the same for every address. */
function EmailForm({ onSaid }: { readonly onSaid: (said: string) => void }) {
  const [email, setEmail] = useState('')
  const [isAsking, setAsking] = useState(false)
  const ask = async (): Promise<void> => {
    setAsking(true)
    try {
      await createClient(null, () => undefined).send('POST', '/console/sign-in', jsonContent({ email }))
      onSaid(
        'If somebody signs in with this address, a link is on its way. It works for 15 minutes, in this browser.',
      )
    } catch (thrown) {
      onSaid(failureOf(thrown).message)
    }
    setAsking(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (email.trim() !== '') void ask()
      }}
    >
      <TextField
        label="Email address"
        hint="You get a link that signs you in."
        type="email"
        name="email"
        autocomplete="email"
        required
        value={email}
        onValue={setEmail}
      />
      <Button kind="primary" type="submit" isRunning={isAsking}>
        Send me a link
      </Button>
    </form>
  )
}

function KeyForm({ isSigningIn, signInWith }: Pick<SessionState, 'isSigningIn' | 'signInWith'>) {
  const [key, setKey] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (key.trim() !== '') signInWith({ key: key.trim() })
      }}
    >
      <TextField
        label="Key"
        hint="Of an operator (ok_live_…) or of an organization (ck_live_…). It is kept nowhere."
        type="password"
        name="key"
        autocomplete="off"
        spellcheck={false}
        required
        value={key}
        onValue={setKey}
      />
      <Button type="submit" isRunning={isSigningIn}>
        Sign in
      </Button>
    </form>
  )
}

/** The session of this browser, as this tab knows it. */
interface SessionState {
  /** Null: nobody is signed in. */
  readonly session: Session | null
  readonly isSigningIn: boolean
  /** What whoever signs in should know; null: nothing. */
  readonly notice: string | null
  readonly signInWith: (credentials: Credentials) => void
  readonly signOut: () => void
}

const OUT = { session: null, isSigningIn: false, notice: null } as const

const ENDED = 'You were signed out: the session has ended, or the key that opened it. Sign in again.'

/** Where tabs tell each other that somebody signed in or out: what the others show may be another person's. */
const CHANNEL = 'console-session'

/** Signs in and out. The address stays as it is, so that signing in again leads to the same place. */
export function useSession(first: Credentials | null): SessionState {
  const [state, setState] = useState<Pick<SessionState, 'session' | 'isSigningIn' | 'notice'>>({
    ...OUT,
    isSigningIn: true,
  })
  // An answer to an earlier sign-in, or the end of an earlier session, must not touch the present one.
  const latest = useRef(0)
  // A channel does not hear what it says itself.
  const tabs = useRef<BroadcastChannel | null>(null)
  const shown = useRef('')
  shown.current = state.session === null ? '' : JSON.stringify(state.session.identity)
  const start = useCallback((credentials: Credentials | null) => {
    const attempt = (latest.current += 1)
    const settle = (next: typeof state): void => {
      if (attempt === latest.current) setState(next)
    }
    setState({ ...OUT, isSigningIn: true })
    const onEnded = (): void => {
      settle({ ...OUT, notice: ENDED })
    }
    enter(credentials, onEnded).then(
      ({ opened, ...session }) => {
        settle({ ...OUT, session })
        if (credentials === null) return
        opened.then(
          () => tabs.current?.postMessage('changed'),
          (thrown: unknown) => {
            settle({ ...OUT, notice: failureOf(thrown).message })
          },
        )
      },
      (thrown: unknown) => {
        const failure = failureOf(thrown)
        // Somebody who just opens the console without a session is not told that a session has ended.
        const isFirst = credentials === null && failure.kind === 'ended'
        settle({ ...OUT, notice: isFirst ? null : failure.message })
      },
    )
  }, [])
  const signOut = useCallback(() => {
    latest.current += 1
    createClient(null, () => undefined)
      .send('DELETE', '/console/session')
      .then(
        () => {
          setState({ ...OUT, notice: 'You are signed out.' })
          tabs.current?.postMessage('changed')
        },
        (thrown: unknown) => {
          setState({ ...OUT, notice: `You are still signed in. ${failureOf(thrown).message}` })
        },
      )
  }, [])
  useEffect(() => {
    // A link that is opened in this tab changes the fragment alone, without loading the page.
    const onFragment = (): void => {
      const credentials = takeFromAddress()
      if (credentials !== null) start(credentials)
    }
    const channel = new BroadcastChannel(CHANNEL)
    tabs.current = channel
    channel.addEventListener('message', () => {
      // What is not saved here stays, unless the page is about to become another person's.
      void createClient(null, () => undefined)
        .call('me.get')
        .then(JSON.stringify, () => '')
        .then((now) => {
          if (now !== shown.current) start(null)
        })
    })
    window.addEventListener('hashchange', onFragment)
    start(first)
    return () => {
      window.removeEventListener('hashchange', onFragment)
      channel.close()
    }
  }, [])
  return { ...state, signInWith: start, signOut }
}

/** The home page of a tenant: whose key this is, and where everything is. */
export function Home() {
  const organizationId = ownOrganization(useIdentity()) ?? ''
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
                Every operation, to try with a key
              </a>,
            ],
          ]}
        />
      </Card>
    </>
  )
}

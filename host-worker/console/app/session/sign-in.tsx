import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { failureOf } from '../service/failure.ts'
import { signIn, type Session } from './session.ts'

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

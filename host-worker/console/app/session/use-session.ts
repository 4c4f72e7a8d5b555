import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { failureOf } from '../service/failure.ts'
import { takeKeyFromAddress } from './key-in-address.ts'
import type { Session } from './session.ts'
import { signIn } from './session.ts'

/** The session of this tab, which lives in its memory alone. */
export interface SessionState {
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

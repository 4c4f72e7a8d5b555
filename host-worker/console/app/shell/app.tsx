import type { AroundNavHandler } from 'wouter-preact'
import { Router } from 'wouter-preact'
import { mayLeave } from '../kit/leaving.ts'
import { Loading } from '../kit/states.tsx'
import { ClientContext } from '../service/context.ts'
import { IdentityContext } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { useSession } from '../session/use-session.ts'
import { Shell } from './shell.tsx'

/**
 * The console: the page of whoever is signed in, or the one to sign in.
 * @param firstKey a key that came with the address
 */
export function App({ firstKey }: { readonly firstKey: string | null }) {
  const state = useSession(firstKey)
  const { session, isSigningIn, notice } = state
  if (session === null && isSigningIn && firstKey !== null && notice === null)
    return (
      <main class="sign-in">
        <Loading />
      </main>
    )
  if (session === null) return <SignIn {...state} />
  return (
    <ClientContext.Provider value={session.client}>
      <IdentityContext.Provider value={session.identity}>
        <Router base="/console" aroundNav={leaveAndGo}>
          <Shell
            onSignOut={() => {
              if (mayLeave()) state.signOut()
            }}
          />
        </Router>
      </IdentityContext.Provider>
    </ClientContext.Provider>
  )
}

const leaveAndGo: AroundNavHandler = (navigate, to, options) => {
  if (mayLeave()) navigate(to, options)
}

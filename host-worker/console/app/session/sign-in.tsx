import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/input/field.tsx'
import type { SessionState } from './use-session.ts'

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

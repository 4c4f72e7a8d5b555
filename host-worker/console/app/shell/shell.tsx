import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { Button } from '../kit/button.tsx'
import { Toasts } from '../kit/toasts/toast.tsx'
import { parts } from '../parts.ts'
import type { Part } from '../part.ts'
import type { Identity } from '../session/session.ts'
import { may, useIdentity } from '../session/session.ts'
import { Routes } from './routes.tsx'
import { ThemeButton } from './theme-button.tsx'

/** The frame around every page: navigation, who is signed in, and the page itself. */
export function Shell({ onSignOut }: { readonly onSignOut: () => void }) {
  const identity = useIdentity()
  const [isOpen, setOpen] = useState(false)
  const [location] = useLocation()
  useEffect(() => {
    setOpen(false)
    window.scrollTo(0, 0)
  }, [location])
  const own = parts.filter((part) => isFor(part, identity))
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class={isOpen ? 'side open' : 'side'}>
        <div class="side-head">
          <p class="brand">Console</p>
          <button
            type="button"
            class="button quiet menu"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => {
              setOpen(!isOpen)
            }}
          >
            Menu
          </button>
        </div>
        <div id="navigation" class="side-body">
          <nav aria-label="Console">
            <ul>
              {own
                .filter(({ within }) => within === undefined)
                .map(({ path, title }) => (
                  <li key={path}>
                    <Link href={path} aria-current={isWithin(location, path) ? 'page' : undefined}>
                      {title}
                    </Link>
                  </li>
                ))}
            </ul>
          </nav>
          <div class="side-foot">
            <Who identity={identity} />
            <div class="buttons">
              <ThemeButton />
              <Button kind="quiet" onClick={onSignOut}>
                Sign out
              </Button>
            </div>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Routes parts={own} />
      </main>
      <Toasts />
    </div>
  )
}

/** Focuses the content without writing a fragment into the address. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

function Who({ identity }: { readonly identity: Identity }) {
  return identity.kind === 'operator' ? (
    <p class="who">
      <strong>{identity.name}</strong>
      <span class="soft">Operator, {identity.role}</span>
    </p>
  ) : (
    <p class="who">
      <strong>{identity.organizationId}</strong>
      <span class="soft">Tenant key</span>
    </p>
  )
}

function isFor(part: Part, identity: Identity): boolean {
  return part.for === identity.kind && (identity.kind === 'tenant' || may(identity, part.role ?? 'support'))
}

function isWithin(location: string, path: string): boolean {
  return location === path || (path !== '/' && location.startsWith(`${path}/`))
}

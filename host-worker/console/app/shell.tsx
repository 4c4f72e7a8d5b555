import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, Route, Router, Switch, useLocation, type AroundNavHandler } from 'wouter-preact'
import { Button, Toasts } from './kit/buttons.tsx'
import { mayLeave } from './kit/dialog.tsx'
import { PageHeader, Empty, FailureNote, Loading, ThemeButton } from './kit/page.tsx'
import { OrganizationFrame } from './organizations/organization.tsx'
import type { Part, PartProps } from './part.ts'
import { parts } from './parts.ts'
import { ClientContext, Failure } from './service/client.ts'
import { IdentityContext, may, useIdentity, SignIn, useSession, type Identity } from './session.tsx'

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

/** The frame around every page: navigation, who is signed in, and the page itself. */
function Shell({ onSignOut }: { readonly onSignOut: () => void }) {
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

/** Shows the part to which the address belongs. */
function Routes({ parts }: { readonly parts: readonly Part[] }) {
  const tabs = parts.filter(({ within }) => within === 'organization')
  const others = parts.filter(({ within }) => within === undefined)
  return (
    <Switch>
      {tabs.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(`/organizations/:organizationId${part.path}`)}>
          {({ organizationId }: { readonly organizationId: string }) => (
            <OrganizationFrame organizationId={organizationId} tabs={tabs}>
              <PartPage key={part.title} part={part} organizationId={organizationId} />
            </OrganizationFrame>
          )}
        </Route>
      ))}
      {others.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(part.path)}>
          <PartPage key={part.title} part={part} organizationId="" />
        </Route>
      ))}
      <Route>
        <PageHeader title="Not found" />
        <Empty title="There is no page at this address.">
          It may have moved, or this key may not see it. The navigation lists every page that there is.
        </Empty>
      </Route>
    </Switch>
  )
}

/** The pattern of a part's addresses. The root is one address only. */
function below(path: string): string {
  return path.endsWith('/') ? path : `${path}/*?`
}

function longestFirst(left: Part, right: Part): number {
  return right.path.length - left.path.length
}

const loaded = new Map<Part, ComponentType<PartProps>>()

interface PartPageProps {
  readonly part: Part
  readonly organizationId: string
}

/** Loads a part's code, and shows its page. */
function PartPage({ part, organizationId }: PartPageProps) {
  const [Page, setPage] = useState(() => loaded.get(part))
  const [failure, setFailure] = useState<Failure | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (Page !== undefined) return
    part.load().then(
      (module) => {
        loaded.set(part, module.Page)
        setPage(() => module.Page)
        setFailure(null)
      },
      () => {
        setFailure(
          new Failure('offline', 'This page could not be loaded. After a new version, reload the console.'),
        )
      },
    )
  }, [part, tries])
  if (Page !== undefined) return <Page organizationId={organizationId} />
  if (failure === null) return <Loading lines={6} />
  const retry = (): void => {
    setTries((count) => count + 1)
  }
  return <FailureNote failure={failure} onRetry={retry} />
}

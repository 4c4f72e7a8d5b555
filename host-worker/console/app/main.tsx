import { render, type ComponentChildren, type ComponentType } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { Link, Redirect, Route, Router, Switch, useLocation, type AroundNavHandler } from 'wouter-preact'
import { Button, CopyButton, Toasts } from './kit/controls.tsx'
import { mayLeave, watchBack } from './kit/dialog.tsx'
import { Empty, FailureNote, Loading, PageHeader, Tabs, ThemeButton, followTheme } from './kit/page.tsx'
import {
  OrganizationContext,
  organizationPath,
  type OrganizationProps,
} from './organizations/organization.ts'
import { operatorParts, organizationParts, tenantParts, type Part } from './parts.ts'
import { first, type Credentials } from './service/begun.ts'
import { ClientContext, Failure } from './service/client.ts'
import { useCall } from './service/hooks.ts'
import {
  IdentityContext,
  SignIn,
  may,
  ownOrganization,
  useIdentity,
  useSession,
  type Identity,
} from './session.tsx'
import './style/base.css'
import './style/components.css'
import './style/pages.css'

/**
 * The console: the page of whoever is signed in, or the one to sign in.
 * @param first what signs in, if it came with the address
 */
function App({ first }: { readonly first: Credentials | null }) {
  const state = useSession(first)
  const { session, isSigningIn } = state
  if (session === null && isSigningIn)
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
  const isTenant = ownOrganization(identity) !== null
  const own = (isTenant ? tenantParts : operatorParts).filter((part) => isShown(part, identity, null))
  const tabs = isTenant ? [] : organizationParts
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
              {own.map(({ path, title }) => (
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
        <Routes parts={own} tabs={tabs} />
      </main>
      <Toasts />
    </div>
  )
}

/** Whether a part is shown to whoever is signed in: in an organization or, for null, beside all of them. */
function isShown({ needs }: Part, identity: Identity, organizationId: string | null): boolean {
  return needs === undefined || may(identity, needs, organizationId)
}

/** Focuses the content without writing a fragment into the address. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

function Who({ identity }: { readonly identity: Identity }) {
  const { name, email, role, organizations } = identity
  const [first] = organizations
  return (
    <p class="who">
      <strong>{name ?? email}</strong>
      {name !== null && email !== null && <span class="soft">{email}</span>}
      <span class="soft">
        {role !== null
          ? `Operator, ${role}`
          : first?.role === 'key'
            ? 'Tenant key'
            : organizations.length === 1
              ? `${first?.name ?? ''}, ${first?.role ?? ''}`
              : `${organizations.length} organizations`}
      </span>
    </p>
  )
}

function isWithin(location: string, path: string): boolean {
  return location === path || (path !== '/' && location.startsWith(`${path}/`))
}

/** Shows the part to which the address belongs. */
function Routes({ parts, tabs }: Readonly<Record<'parts' | 'tabs', readonly Part[]>>) {
  const identity = useIdentity()
  const [only, ...others] = identity.organizations
  const home =
    only === undefined || others.length > 0 ? '/organizations' : organizationPath(only.organizationId)
  return (
    <Switch>
      {tabs.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(`/organizations/:organizationId${part.path}`)}>
          {({ organizationId }: { readonly organizationId: string }) => (
            <OrganizationFrame
              organizationId={organizationId}
              tabs={tabs}
              hasOwnHead={part.isAsOrganization === true}
            >
              {!isShown(part, identity, organizationId) ? (
                <NotFound />
              ) : part.isAsOrganization === true ? (
                <AsOrganization organizationId={organizationId}>
                  <PartPage key={part.title} part={part} organizationId={organizationId} />
                </AsOrganization>
              ) : (
                <PartPage key={part.title} part={part} organizationId={organizationId} />
              )}
            </OrganizationFrame>
          )}
        </Route>
      ))}
      {tabs.slice(0, 1).map(({ path }) => (
        <Route key={path} path="/organizations/:organizationId">
          {({ organizationId }: { readonly organizationId: string }) => (
            <Redirect to={organizationPath(organizationId, path)} replace />
          )}
        </Route>
      ))}
      {parts.toSorted(longestFirst).map((part) => (
        <Route key={part.title} path={below(part.path)}>
          <PartPage key={part.title} part={part} organizationId="" />
        </Route>
      ))}
      {parts.every(({ path }) => path !== '/') && (
        <Route path="/">
          <Redirect to={home} replace />
        </Route>
      )}
      <Route>
        <PageHeader title="Not found" />
        <NotFound />
      </Route>
    </Switch>
  )
}

function NotFound() {
  return (
    <Empty title="There is no page at this address.">
      It may have moved, or you may not see it. The navigation lists every page that there is.
    </Empty>
  )
}

/** A part as the organization itself sees it: it reads what a key of the organization would. */
function AsOrganization({
  organizationId,
  children,
}: OrganizationProps & { readonly children: ComponentChildren }) {
  const { role } = useIdentity()
  const signedIn = useContext(ClientContext)
  const client = useMemo(() => signedIn.as(organizationId), [signedIn, organizationId])
  return (
    <ClientContext.Provider value={client}>
      {role !== null && <p class="note">This is what the organization’s own programs can read.</p>}
      <Router base={organizationPath(organizationId)}>{children}</Router>
    </ClientContext.Provider>
  )
}

interface OrganizationFrameProps extends OrganizationProps {
  readonly tabs: readonly Part[]
  /** Whether the page has a head of its own, so that the organization is only named. */
  readonly hasOwnHead: boolean
  readonly children: ComponentChildren
}

/** The head of an organization's pages, with a tab for each of its parts. */
function OrganizationFrame({ organizationId, tabs: all, hasOwnHead, children }: OrganizationFrameProps) {
  const identity = useIdentity()
  const tabs = all.filter((part) => isShown(part, identity, organizationId))
  const found = useCall('organizations.show', { params: { organizationId } })
  const [location] = useLocation()
  const name = found.state === 'ready' && 'name' in found.data ? found.data.name : organizationId
  const here = tabs
    .map(({ path }) => organizationPath(organizationId, path))
    .filter((path) => location === path || location.startsWith(`${path}/`))
    .reduce((longest, path) => (path.length > longest.length ? path : longest), '')
  const row = tabs.length > 1 && (
    <Tabs
      label="Organization"
      tabs={tabs.map(({ path, title }) => {
        const href = organizationPath(organizationId, path)
        return { title, href, isHere: href === here }
      })}
    />
  )
  return (
    <OrganizationContext.Provider value={found}>
      {hasOwnHead ? (
        <>
          <p class="soft">{name}</p>
          {row}
        </>
      ) : (
        <PageHeader
          title={name}
          crumbs={[{ title: 'Organizations', path: '/organizations' }]}
          actions={
            <span class="copied">
              <code>{organizationId}</code>
              <CopyButton text={organizationId} what="the identifier" />
            </span>
          }
        >
          {row}
        </PageHeader>
      )}
      {children}
    </OrganizationContext.Provider>
  )
}

/** The pattern of a part's addresses. The root is one address only. */
function below(path: string): string {
  return path.endsWith('/') ? path : `${path}/*?`
}

function longestFirst(left: Part, right: Part): number {
  return right.path.length - left.path.length
}

/** The part that an address below the console most likely shows. */
function partAt(location: string): Part | undefined {
  const [, within] = /^\/organizations\/[^/]+(\/.*)?$/.exec(location) ?? []
  const path = within ?? (location === '' ? '/' : location)
  const parts = /^\/organizations\/[^/]/.test(location) ? organizationParts : operatorParts
  return parts.find((part) => path === part.path || isWithin(path, part.path)) ?? parts[0]
}

const loaded = new Map<Part, ComponentType<OrganizationProps>>()

/** Loads a part's code, and shows its page. */
function PartPage({ part, organizationId }: OrganizationProps & { readonly part: Part }) {
  const [Page, setPage] = useState(() => loaded.get(part))
  const [failure, setFailure] = useState<Failure | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (Page !== undefined) return
    part.load().then(
      (page) => {
        loaded.set(part, page)
        setPage(() => page)
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

// The code of the page is loaded while it is found out who is signed in. Whoever sees another page loads that then.
void partAt(window.location.pathname.slice('/console'.length))
  ?.load()
  .catch(() => undefined)
followTheme()
watchBack()
const root = document.getElementById('console')
if (root !== null) render(<App first={first} />, root)

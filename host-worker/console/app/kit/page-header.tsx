import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'

/** A page above the present one. */
interface Crumb {
  readonly title: string
  readonly path: string
}

interface PageHeaderProps {
  readonly title: string
  readonly crumbs?: readonly Crumb[]
  readonly actions?: ComponentChildren | undefined
  readonly children?: ComponentChildren
}

/**
 * The head of every page. It names the document, and takes the focus when another page is shown, so that a screen reader
 * reads its title.
 */
export function PageHeader({ title, crumbs = [], actions, children }: PageHeaderProps) {
  const [location] = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Console`
  }, [title])
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [location])
  return (
    <header class="page-head">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb">
          <ol class="crumbs">
            {crumbs.map((crumb) => (
              <li key={crumb.path}>
                <Link href={crumb.path}>{crumb.title}</Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="page-title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </header>
  )
}

interface TabsProps {
  /** What the tabs are of, for a screen reader. */
  readonly label: string
  readonly tabs: readonly { readonly title: string; readonly href: string; readonly isHere: boolean }[]
}

/** Links to the pages of one thing, with a mark at the present one. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} class="tabs">
      <ul>
        {tabs.map(({ title, href, isHere }) => (
          <li key={title}>
            <Link href={href} aria-current={isHere ? 'page' : undefined}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

import { Link } from 'wouter-preact'

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

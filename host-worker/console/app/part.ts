import type { ComponentType } from 'preact'
import type { Role } from './session.tsx'

/** What a page of a part is given. */
export interface PartProps {
  /** The organization that the page is about; empty outside of `within: 'organization'`. */
  readonly organizationId: string
}

/**
 * A part of the console: pages for one thing that a person does. A part that is not listed here does not exist, and one
 * that is listed is in the navigation of those who may use it.
 */
export interface Part {
  /** The address below `/console`, or below `/organizations/ID`. A part has every address that begins with it. */
  readonly path: string
  /** The name in the navigation. */
  readonly title: string
  readonly for: 'operator' | 'tenant'
  /** The least role that may use it. Left out: every operator, or the tenant. */
  readonly role?: Role
  /** `organization`: a tab of the page of one organization. */
  readonly within?: 'organization'
  /** Loads its code when it is first shown. */
  readonly load: () => Promise<{ readonly Page: ComponentType<PartProps> }>
}

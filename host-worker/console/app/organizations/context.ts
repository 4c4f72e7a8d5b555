import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { BodyOf } from '../service/operations.ts'
import type { Reading } from '../service/use-query.ts'

/** An organization with its place, as the operator interface shows it. */
export type ShownOrganization = BodyOf<'organizations.show'>

/** One whose database answered, so that its settings are known. */
export type KnownOrganization = Extract<ShownOrganization, { readonly name: string }>

export const OrganizationContext = createContext<Reading<ShownOrganization> | null>(null)

/** The organization that the page is about. Only for parts within an organization. */
export function useOrganization(): Reading<ShownOrganization> {
  const reading = useContext(OrganizationContext)
  if (reading === null) throw new Error('This page is not within an organization')
  return reading
}

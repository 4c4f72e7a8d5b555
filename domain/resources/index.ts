import type { Resource } from '../contract/resource.ts'
import { automationRuns } from './automation-runs.ts'
import { automations } from './automations.ts'
import { contactLists } from './contact-lists.ts'
import { contacts } from './contacts.ts'
import { formSubmissions } from './form-submissions.ts'
import { forms } from './forms.ts'
import { sites } from './sites.ts'

/** Every stored resource, in an order in which imports can be made: referenced ones first. */
export const resources: readonly Resource[] = [
  sites,
  contacts,
  contactLists,
  forms,
  formSubmissions,
  automations,
  automationRuns,
]

const byCollection = new Map(resources.map((resource) => [resource.collection, resource]))

/** The resource stored under a collection name. Throws for a name that no resource declares. */
export function resourceOf(collection: string): Resource {
  const found = byCollection.get(collection)
  if (found === undefined) throw new Error(`No resource is stored as ${collection}`)
  return found
}

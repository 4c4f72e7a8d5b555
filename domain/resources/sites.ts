import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { email, id, impersonal, json, nullable, number, oneOf, text, timestamp } from '../record/field.ts'
import { idFilter, window, wordFilter } from '../record/filter.ts'
import { orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'

const siteStatuses = ['active', 'inactive'] as const

const line = v.nullable(v.string())
const optionalLine = v.nullish(v.string(), null)
const addressLines = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'] as const

const Address = v.strictObject(v.entriesFromList(addressLines, line))
const AddressInput = v.strictObject(v.entriesFromList(addressLines, optionalLine))

export const sites = resource({
  name: 'Site',
  collection: 'sites',
  description: 'A place of business of the organization.',
  idField: 'siteId',
  removal: true,
  // The reviews that a parent reads contain the name of the child's site.
  seenByParent: true,
  fields: {
    siteId: id(),
    name: impersonal(text()),
    commonName: impersonal(nullable(text())),
    siteCode: impersonal(nullable(text())),
    status: orElse(oneOf(siteStatuses), 'active'),
    phone: impersonal(nullable(text())),
    email: impersonal(nullable(email())),
    timezone: impersonal(text()),
    address: orElse(impersonal(json(Address, AddressInput)), v.parse(AddressInput, {})),
    latitude: nullable(number(-90, 90)),
    longitude: nullable(number(-180, 180)),
    googlePlaceId: impersonal(nullable(text())),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listSites = collection({
  id: 'sites.list',
  path: '/api/v1/sites',
  tag: 'Sites',
  summary: 'List sites',
  resource: sites,
  filters: {
    status: wordFilter('status', siteStatuses, 'Only sites in this status.'),
    siteCode: idFilter('siteCode', 'Only the sites with this code.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'siteId'),
})

export const getSite = detail({
  id: 'sites.get',
  path: '/api/v1/sites/{siteId}',
  tag: 'Sites',
  summary: 'Retrieve a site',
  resource: sites,
})

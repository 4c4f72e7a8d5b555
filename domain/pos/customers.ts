import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { boolean, email, id, nullable, phone, text, textList, timestamp } from '../record/field.ts'
import { booleanFilter, emailFilter, idFilter, phoneFilter } from '../record/filter.ts'
import { derived } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { emailKey } from '../text/typed-text.ts'

export const customers = resource({
  name: 'PosCustomer',
  collection: 'pos-customers',
  description:
    'A customer as the point of sale knows them. `active` is null where the source does not say. Ordered by ' +
    '`createdAt`, customers of an unknown date last.',
  idField: 'customerId',
  fields: {
    customerId: id(),
    firstName: nullable(text()),
    lastName: nullable(text()),
    email: nullable(email()),
    phone: nullable(phone()),
    licensePlates: textList(),
    active: nullable(boolean()),
    homeSiteCode: nullable(text()),
    lastVisitAt: nullable(timestamp()),
    createdAt: nullable(timestamp()),
  },
  hidden: {
    /** Addresses are published as given; filters compare this normalised form. */
    emailKey: derived(nullable(text())),
  },
  derive: { emailKey: ({ email }) => (email === null ? null : emailKey(email)) },
})

export const listCustomers = collection({
  id: 'posCustomers.list',
  path: '/api/v1/pos/customers',
  tag: 'Point of sale',
  summary: 'List point-of-sale customers',
  resource: customers,
  rowsFrom: 'pos',
  filters: {
    phone: phoneFilter(
      'phone',
      "Only customers with this phone number; a national form is read in the organization's country.",
    ),
    email: emailFilter('emailKey', 'Only customers with this email address, whatever its case.'),
    active: booleanFilter('active', 'Only customers known to be active, or known not to be.'),
    siteCode: idFilter('homeSiteCode', 'Only customers whose home is the site with this code.'),
  },
  order: newestFirst('createdAt', 'customerId'),
})

export const getCustomer = detail({
  id: 'posCustomers.get',
  path: '/api/v1/pos/customers/{id}',
  param: 'id',
  tag: 'Point of sale',
  summary: 'Retrieve a point-of-sale customer',
  resource: customers,
  rowsFrom: 'pos',
})

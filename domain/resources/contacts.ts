import { collection, detail, newestFirst } from '../record/endpoint.ts'
import {
  email,
  id,
  nullable,
  oneOf,
  personal,
  phone,
  text,
  textList,
  textsByName,
  timestamp,
} from '../record/field.ts'
import { emailFilter, idFilter, phoneFilter, window } from '../record/filter.ts'
import { derived, orElse, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { emailKey } from '../text/email-address.ts'

/** How many attributes a contact has at most, and how long their names and values may be, in characters. */
export const attributeBounds = { most: 50, nameLength: 64, valueLength: 1_000 } as const

const consents = ['subscribed', 'unsubscribed', 'unknown'] as const

export const contacts = resource({
  name: 'Contact',
  collection: 'contacts',
  description: 'A person the organization knows.',
  idField: 'contactId',
  person: { by: 'contactId', carriedIn: [] },
  removal: true,
  selectsFew: { emailKey: 'createdAt', phone: 'createdAt' },
  fields: {
    contactId: id(),
    firstName: personal(nullable(text())),
    lastName: personal(nullable(text())),
    email: personal(nullable(email())),
    phone: personal(nullable(phone())),
    licensePlate: personal(nullable(text())),
    tags: orElse(personal(textList(), []), []),
    emailConsent: orElse(personal(oneOf(consents), 'unsubscribed'), 'unknown'),
    smsConsent: orElse(personal(oneOf(consents), 'unsubscribed'), 'unknown'),
    source: personal(nullable(text())),
    siteId: nullable(id()),
    attributes: orElse(personal(textsByName(attributeBounds), {}), {}),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** Addresses are published as given; filters compare this normalised form. */
    emailKey: derived(personal(nullable(text()))),
  },
  derive: { emailKey: ({ email }) => (email === null ? null : emailKey(email)) },
})

export const listContacts = collection({
  id: 'contacts.list',
  path: '/api/v1/contacts',
  tag: 'Contacts',
  summary: 'List contacts',
  resource: contacts,
  filters: {
    email: emailFilter('emailKey', 'Only contacts with this email address, whatever its case.'),
    phone: phoneFilter(
      'phone',
      "Only contacts with this phone number; a national form is read in the organization's country.",
    ),
    siteId: idFilter('siteId', 'Only contacts of this site.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'contactId'),
})

export const getContact = detail({
  id: 'contacts.get',
  path: '/api/v1/contacts/{contactId}',
  tag: 'Contacts',
  summary: 'Retrieve a contact',
  resource: contacts,
})

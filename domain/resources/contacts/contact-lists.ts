import { collection, detail, newestFirst } from '../../record/endpoint.ts'
import { id, impersonal, nullable, oneOf, text, timestamp } from '../../record/field.ts'
import { window, wordFilter } from '../../record/filter.ts'
import { orElse, orNow, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { countOf } from '../../record/tally.ts'

const types = ['static', 'dynamic'] as const

export const contactLists = resource({
  name: 'ContactList',
  collection: 'contact-lists',
  description: 'A named group of contacts.',
  idField: 'listId',
  removal: true,
  fields: {
    listId: id(),
    name: impersonal(text()),
    description: impersonal(nullable(text())),
    type: orElse(oneOf(types), 'static'),
    contactCount: countOf('list-members', 'listId'),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
})

export const listContactLists = collection({
  id: 'contactLists.list',
  path: '/api/v1/contact-lists',
  tag: 'Contact lists',
  summary: 'List contact lists',
  resource: contactLists,
  filters: {
    type: wordFilter('type', types, 'Only lists of this type.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'listId'),
})

export const getContactList = detail({
  id: 'contactLists.get',
  path: '/api/v1/contact-lists/{listId}',
  tag: 'Contact lists',
  summary: 'Retrieve a contact list',
  resource: contactLists,
})

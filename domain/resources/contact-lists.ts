import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { id, impersonal, nullable, oneOf, text, timestamp } from '../record/field.ts'
import { window, wordFilter } from '../record/filter.ts'
import { orElse, orNow, updatedAt, countOf, refersTo } from '../record/resource-field.ts'
import { resource, joinedFrom } from '../record/resource.ts'
import { contacts } from './contacts.ts'

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

export const listMembers = resource({
  name: 'ListedContact',
  collection: 'list-members',
  description: 'A contact on a list, and since when.',
  idField: 'contactId',
  key: ['listId', 'contactId'],
  selectsMany: { listId: ['addedAt'] },
  removal: { parent: 'listId' },
  fields: {
    contactId: id(),
    ...joinedFrom(contacts, 'contactId'),
    addedAt: orNow(timestamp()),
  },
  hidden: {
    listId: refersTo('contact-lists', id()),
    updatedAt: updatedAt(),
  },
})

export const listContactsOfList = collection({
  id: 'listMembers.listOfList',
  path: '/api/v1/contact-lists/{listId}/contacts',
  tag: 'Contact lists',
  summary: 'List the contacts of a list',
  description:
    'Ordered by `addedAt`, which is all that it can be filtered by. `updatedAt` is that of the contact: sync contacts with `/api/v1/contacts`, and read a list as a whole.',
  resource: listMembers,
  parent: { resource: contactLists, param: 'listId' },
  filters: window('addedAt'),
  order: newestFirst('addedAt', 'contactId'),
})

import { collection, newestFirst } from '../../record/endpoint.ts'
import { id, timestamp } from '../../record/field.ts'
import { window } from '../../record/filter.ts'
import { orNow, refersTo, updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'
import { joinedFrom } from '../../record/views.ts'
import { contactLists } from './contact-lists.ts'
import { contacts } from './contacts.ts'

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

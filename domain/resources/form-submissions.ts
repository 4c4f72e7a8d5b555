import { collection, newestFirst } from '../contract/endpoint.ts'
import { id, nullable, oneOf, text, timestamp } from '../contract/field.ts'
import { idFilter, window } from '../contract/filter.ts'
import { joined, resource, updatedAt } from '../contract/resource.ts'
import { publishedAnswers, storedAnswers } from './answers.ts'
import { attribution } from './attribution.ts'
import { forms } from './forms.ts'

export const formSubmissions = resource({
  name: 'FormSubmission',
  collection: 'form-submissions',
  description: 'One saved set of answers to a form.',
  idField: 'submissionId',
  fields: {
    submissionId: id(),
    formId: id(),
    formName: joined(text(), { collection: 'forms', by: 'formId', field: 'name' }),
    contactId: nullable(id()),
    answers: publishedAnswers(),
    attribution: attribution(),
    source: oneOf(['headless', 'hosted']),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: { answers: storedAnswers() },
})

const filters = {
  contactId: idFilter('contactId', 'Only submissions of this contact.'),
  ...window('submittedAt'),
  ...window('updatedAt'),
}

export const listFormSubmissions = collection({
  id: 'formSubmissions.list',
  path: '/api/v1/forms/submissions',
  tag: 'Forms',
  summary: 'List submissions of all forms',
  resource: formSubmissions,
  filters: { formId: idFilter('formId', 'Only submissions of this form.'), ...filters },
  order: newestFirst('submittedAt', 'submissionId'),
})

export const listSubmissionsOfForm = collection({
  id: 'formSubmissions.listOfForm',
  path: '/api/v1/forms/{formId}/submissions',
  tag: 'Forms',
  summary: 'List submissions of one form',
  resource: formSubmissions,
  parent: { resource: forms, param: 'formId' },
  filters,
  order: newestFirst('submittedAt', 'submissionId'),
})

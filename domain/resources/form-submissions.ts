import * as v from 'valibot'
import { collection, newestFirst } from '../contract/endpoint.ts'
import { id, json, nullable, oneOf, text, timestamp } from '../contract/field.ts'
import { idFilter, window } from '../contract/filter.ts'
import { computed, joined, resource, updatedAt } from '../contract/resource.ts'
import { withoutSensitiveKeys } from '../text/sensitive-keys.ts'
import { attribution } from './attribution.ts'
import { forms } from './forms.ts'

const answers = json(v.record(v.string(), v.unknown()))

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
    answers: computed(
      answers,
      ['answers'],
      (row) => withoutSensitiveKeys(row.answers) as Record<string, unknown>,
    ),
    attribution: attribution(),
    source: oneOf(['headless', 'hosted']),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: {
    /** Stored whole; sensitive keys are removed when they are published. */
    answers,
  },
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

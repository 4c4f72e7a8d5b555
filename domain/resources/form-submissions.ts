import { collection, newestFirst } from '../record/endpoint.ts'
import * as v from 'valibot'
import { id, json, nullable, oneOf, personal, text, timestamp } from '../record/field.ts'
import { idFilter, window } from '../record/filter.ts'
import { joined, orElse, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { publicAnswers, publishedAnswers, storedAnswers } from './answers.ts'
import { attribution } from '../forms/language/attribution.ts'
import { forms } from './forms.ts'
import { isJsonObject } from '../text/json.ts'

type Typed = Readonly<Record<string, string>>

const Typed = v.record(v.string(), v.string())

/** The object stays as it is: `v.record` would drop ids such as `constructor`. */
const TypedInput = v.custom<Typed>(
  (value) => isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string'),
  'must be an object of texts',
)

export const formSubmissions = resource({
  name: 'FormSubmission',
  collection: 'form-submissions',
  description: 'One saved set of answers to a form.',
  idField: 'submissionId',
  person: { by: 'contactId', carriedIn: ['answers', 'typed'] },
  removal: true,
  selectsFew: { contactId: 'submittedAt' },
  selectsMany: { formId: ['submittedAt'] },
  fields: {
    submissionId: id(),
    formId: id(),
    formName: joined(text(), { collection: 'forms', by: 'formId', field: 'name' }),
    contactId: nullable(id()),
    answers: publishedAnswers(),
    attribution: orElse(attribution(), {}),
    source: oneOf(['headless', 'hosted']),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: {
    answers: storedAnswers(),
    /**
     * What the visitor typed, by the ids of fields, where the answer does not say all of it: the last ten digits of a
     * phone number have lost its country. For people only. Null: the answers say all.
     */
    typed: orElse(personal(nullable(json(Typed, TypedInput))), null),
  },
  compute: { answers: publicAnswers },
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

import * as v from 'valibot'
import { collection, newestFirst } from '../record/endpoint.ts'
import {
  boolean,
  id,
  impersonal,
  json,
  nullable,
  oneOf,
  personal,
  text,
  textsByName,
  timestamp,
} from '../record/field.ts'
import { booleanFilter, idFilter, window } from '../record/filter.ts'
import { joined, orElse, settled, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { publicAnswers, publishedAnswers, storedAnswers } from './answers.ts'
import { attribution } from '../forms/language/attribution.ts'
import { ANSWER_MAX_LENGTH, EXTRA_MAX, EXTRA_NAME_MAX_LENGTH } from '../forms/language/definition.ts'
import { forms } from './forms.ts'

/** Bounds of what is stored as typed: those of the ids of fields, and of answers. */
const TYPED_BOUNDS = { most: 1_000, nameLength: 200, valueLength: 10_000 }

/**
 * Bounds of what is stored beside answers, with the two keys about mail. A line break counts once where texts come in,
 * and is up to two characters as it is stored.
 */
const EXTRA_BOUNDS = {
  most: EXTRA_MAX + 2,
  nameLength: EXTRA_NAME_MAX_LENGTH,
  valueLength: 2 * ANSWER_MAX_LENGTH,
}

const known = v.nullable(v.string())

/** What a submission that was taken for spam says of its contact. Nobody: none of it is known. */
const HeldContact = v.strictObject({
  newContactId: known,
  email: known,
  emailKey: known,
  phone: known,
  firstName: known,
  lastName: known,
  licensePlate: known,
})

export const formSubmissions = resource({
  name: 'FormSubmission',
  collection: 'form-submissions',
  description: 'One saved set of answers to a form.',
  idField: 'submissionId',
  person: { by: 'contactId', carriedIn: ['answers', 'typed', 'extra', 'held'] },
  removal: true,
  events: ['submission.created'],
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
    // A verdict, or what a person said of it, stands: what is held follows when a person says so, and not by a file.
    spam: settled(orElse(boolean(), false)),
    submittedAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: {
    answers: storedAnswers(),
    /**
     * What the visitor typed, by the ids of fields, where the answer does not say all of it: the last ten digits of a
     * phone number have lost its country. For people only. Null: the answers say all.
     */
    typed: orElse(personal(nullable(textsByName(TYPED_BOUNDS))), null),
    /**
     * What was sent to `/f/{formId}` besides the answers, by name: what a form with `extraAnswers` `keep` does not ask
     * for, and as `_subject` and `_replyto` what the page said of the notification. For people only. Null: nothing.
     */
    extra: orElse(personal(nullable(textsByName(EXTRA_BOUNDS))), null),
    /** Why it was taken for spam. For people only: a sender who could read it would learn from it. */
    spamReasons: orElse(impersonal(nullable(json(v.array(v.string())))), null),
    /** The contact that spam named, which is made or changed when a person says that it is none. Null: nothing waits. */
    held: orElse(personal(nullable(json(HeldContact))), null),
  },
  compute: { answers: publicAnswers },
})

const filters = {
  contactId: idFilter('contactId', 'Only submissions of this contact.'),
  spam: booleanFilter('spam', 'Only submissions that were, or were not, taken for spam.'),
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

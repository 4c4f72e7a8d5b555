import * as v from 'valibot'
import type { StoredRow } from '../../ports/query.ts'
import { collection, detail, newestFirst } from '../contract/endpoint.ts'
import { boolean, id, integer, json, nullable, text, timestamp } from '../contract/field.ts'
import { booleanFilter, window } from '../contract/filter.ts'
import { assigned, computed, resource, updatedAt } from '../contract/resource.ts'
import { headlessSupport } from '../forms/support.ts'
import type { FormDefinition } from '../forms/definition.ts'

const Headless = v.strictObject({ supported: v.boolean(), reasons: v.array(v.string()) })

const definition = json(v.looseObject({}))

/** A published field that stands in the saved definition under the same name. */
function saved<Key extends keyof FormDefinition>(
  key: Key,
): (row: StoredRow) => NonNullable<FormDefinition[Key]> | null {
  return (row) => (row.definition as FormDefinition)[key] ?? null
}

export const forms = resource({
  name: 'Form',
  collection: 'forms',
  description: 'A form definition and whether it takes submissions.',
  idField: 'formId',
  fields: {
    formId: id(),
    name: text(),
    isPublished: boolean(),
    requiresPassword: computed(boolean(), ['passwordHash'], (row) => row.passwordHash !== null),
    headless: computed(json(Headless), ['definition'], (row) =>
      headlessSupport(row.definition as FormDefinition),
    ),
    submissionLimitPerContact: computed(
      nullable(integer(1)),
      ['definition'],
      saved('submissionLimitPerContact'),
    ),
    fields: computed(
      json(v.array(v.unknown())),
      ['definition'],
      (row) => (row.definition as FormDefinition).fields,
    ),
    successTitle: computed(nullable(text()), ['definition'], saved('successTitle')),
    successMessage: computed(nullable(text()), ['definition'], saved('successMessage')),
    publicUrl: computed(nullable(text()), ['definition'], saved('publicUrl')),
    publishedAt: nullable(timestamp()),
    createdAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: {
    definition,
    passwordHash: nullable(text()),
    /** Moves with every change of the row; a submission is saved only against the version it was checked with. */
    version: assigned(integer(1)),
  },
})

export const listForms = collection({
  id: 'forms.list',
  path: '/api/v1/forms',
  tag: 'Forms',
  summary: 'List forms',
  resource: forms,
  filters: {
    isPublished: booleanFilter('isPublished', 'Only published, or only unpublished, forms.'),
    ...window('createdAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('createdAt', 'formId'),
})

export const getForm = detail({
  id: 'forms.get',
  path: '/api/v1/forms/{formId}',
  tag: 'Forms',
  summary: 'Retrieve a form',
  resource: forms,
})

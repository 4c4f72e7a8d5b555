import * as v from 'valibot'
import { collection, detail, newestFirst } from '../record/endpoint.ts'
import { boolean, id, impersonal, integer, json, nullable, oneOf, text, timestamp } from '../record/field.ts'
import { booleanFilter, window } from '../record/filter.ts'
import { assigned, computed, orKept, orNow, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { languages } from '../forms/language/definition.ts'
import { FieldSettings } from '../forms/language/field-schema.ts'
import type * as Engine from '../forms/language/compile.ts'
import type { FormDefinition } from '../../ports/records.ts'

const Headless = v.strictObject({ supported: v.boolean(), reasons: v.array(v.string()) })

/** Of which sentences it is a list grows with the service, so the document names none. */
const Texts = v.looseObject({}) as v.GenericSchema<object> as v.GenericSchema<
  Readonly<Record<string, string>>
>

/** The schema need not check more, because only the import of forms stores a definition, and it checks all of it. */
const Definition = v.looseObject({}) as v.GenericSchema<object> as v.GenericSchema<FormDefinition>
const definition = impersonal(json(Definition))

/** What is no definition at all. An import takes any list of fields, and `headless.reasons` says what is wrong with it. */
const NoDefinition = v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(v.unknown())])
/** A field as the service submits it, or anything else: forms that must be hosted are published too. */
const PublishedField = v.union([FieldSettings, v.looseObject({}), NoDefinition])
/** The values are those that were saved, whatever they are, so the schema only describes them. */
const PublishedFields = v.array(PublishedField) as v.GenericSchema as v.GenericSchema<unknown[]>

/** The form engine, which the first request that reads forms loads: no other read needs it. */
let engine: typeof Engine | null = null

function headless({ definition }: Saved): ReturnType<typeof Engine.headlessSupport> {
  if (engine === null) throw new Error('A form was published before the engine of forms was loaded')
  return engine.headlessSupport(definition)
}

interface Saved {
  readonly definition: FormDefinition
}

/** A published field that the saved definition contains under the same name. */
function saved<Key extends keyof FormDefinition>(
  key: Key,
): (row: Saved) => NonNullable<FormDefinition[Key]> | null {
  return ({ definition }) => definition[key] ?? null
}

export const forms = resource({
  name: 'Form',
  collection: 'forms',
  description: 'A form definition and whether it takes submissions.',
  idField: 'formId',
  removal: true,
  // Form ids can be unique in the whole service, because an id is public and reveals nothing about its organization.
  serviceWideIds: true,
  fields: {
    formId: id(),
    name: impersonal(text()),
    isPublished: boolean(),
    requiresPassword: computed(boolean(), ['passwordHash']),
    headless: computed(json(Headless), ['definition']),
    submissionLimitPerContact: computed(nullable(integer(1)), ['definition']),
    fields: computed(json(PublishedFields), ['definition']),
    successTitle: computed(nullable(text()), ['definition']),
    successMessage: computed(nullable(text()), ['definition']),
    publicUrl: computed(nullable(text()), ['definition']),
    language: computed(nullable(oneOf(languages)), ['definition']),
    texts: computed(nullable(json(Texts)), ['definition']),
    publishedAt: nullable(timestamp()),
    createdAt: orNow(timestamp()),
    updatedAt: updatedAt(),
  },
  hidden: {
    definition,
    passwordHash: orKept(impersonal(nullable(text()))),
    /**
     * The store raises it with every change of the row. A submission is saved only if the form still has the version
     * against which it was checked.
     */
    version: assigned(integer(1)),
  },
  prepare: async () => {
    engine = await import('../forms/language/compile.ts')
  },
  compute: {
    requiresPassword: ({ passwordHash }) => passwordHash !== null,
    headless,
    submissionLimitPerContact: saved('submissionLimitPerContact'),
    fields: ({ definition }) => [...definition.fields],
    successTitle: saved('successTitle'),
    successMessage: saved('successMessage'),
    publicUrl: saved('publicUrl'),
    language: saved('language'),
    texts: saved('texts'),
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

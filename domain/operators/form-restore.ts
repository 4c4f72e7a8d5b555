import * as v from 'valibot'
import { mark, ofOrganization, sets } from '../record/command.ts'
import { jsonResponse } from '../record/operation.ts'
import { changeAsRead } from './change.ts'
import { contentOf, ofVersion, unknownVersion } from './form-versions.ts'
import {
  FormId,
  RefusedForms,
  Saved,
  refusedForms,
  savedOne,
  savedSample,
  savingOf,
  shown,
  showOrganizationForm,
  toldOfForm,
  unpublishing,
} from './forms.ts'
import { findForms, FORMS_PATH, saveForms, unknownForm } from './save-forms.ts'
import { jsonBody } from './schema.ts'
import { operated } from './serve.ts'

export const restoreFormVersion = operated({
  id: 'formVersions.restore',
  method: 'POST',
  path: `${FORMS_PATH}/{formId}/versions/{version}/restore`,
  access: 'admin',
  openTo: 'member',
  tag: 'Form definitions',
  needsOrganization: true,
  action: 'form.restore',
  versioned: { of: showOrganizationForm },
  summary: 'Save a version of a form again',
  description:
    'It becomes a new version. The password stays, and whether the form is published, as in a save that leaves both out: what cannot be submitted here is refused for a published form, unless `unpublish` is true.',
  body: jsonBody(v.strictObject({ unpublish: unpublishing }), {}),
  responses: {
    200: jsonResponse('It is saved.', Saved, { ...savedSample, outcome: 'changed' }),
    400: 'BadRequest',
    403: 'Forbidden',
    404: 'NotFound',
    422: jsonResponse('Nothing is saved.', RefusedForms, {
      error: 'Nothing was saved. Form 1: fields[0].type would take the published form offline.',
      problems: [{ form: 1, field: 'fields[0].type', message: 'would take the published form offline' }],
    }),
  },
  commands: [
    {
      words: ['form', 'restore'],
      positionals: ['FORMID'],
      flags: { org: ofOrganization(), version: ofVersion('required'), unpublish: sets('unpublish', mark()) },
      summary: 'Save a version of a form again, as a new version',
      details: [
        'The password stays, and so does whether the form is published. A version that cannot be submitted here is refused for',
        'a published form, unless --unpublish is given, which takes it offline in any case.',
      ],
      examples: ['contact --version 2 --org lakeside'],
      says: (saved) => ({ out: toldOfForm(saved) }),
    },
  ],
  answer: async ({ operation, params, body, change, precondition }, world, operator) => {
    const { organizationId = '', formId = '', version = '' } = params
    if (!v.is(FormId, formId)) return unknownForm(formId, organizationId)
    await change.announce({ type: 'forms', ids: [formId] })
    const ports = savingOf(organizationId, operator, world)
    const restored = await changeAsRead(operation, precondition, {
      read: () => findForms([formId], ports.tenant),
      shown: (found) => [...found.values()].map(shown)[0] ?? null,
      write: async (found) => {
        const kept = found.size === 0 ? null : await ports.tenant.formVersion(formId, Number(version))
        if (kept === null) return { found, saving: null }
        const options = { unpublish: body.unpublish === true, isStored: true }
        const saving = await saveForms([contentOf(kept.definition, formId)], found, ports, options)
        return saving === 'overtaken' ? saving : { found, saving }
      },
    })
    if ('refusal' in restored) return restored.refusal
    const { found, saving } = restored.outcome
    if (found.size === 0) return unknownForm(formId, organizationId)
    if (saving === null) return unknownVersion(formId, version)
    if (saving.kind === 'refused') return refusedForms(saving)
    return savedOne(operation, saving.saved, change)
  },
})

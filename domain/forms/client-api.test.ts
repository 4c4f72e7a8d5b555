import { describe, expect, it, test } from 'vitest'
import type { FormDirectory, StoredForm } from '../../ports/records.ts'
import { definitionOf, directoryOf, fieldOf, optionsOf, when } from '../../test/support/data/forms/forms.ts'
import { createFetchHandler } from '../../host-worker/http/fetch-handler.ts'
import { clientApi } from './client-api.ts'

const fields = [
  fieldOf('mail', 'email', { label: 'Email', required: true, contactField: 'email', maxLength: 0 }),
  fieldOf('plate', 'short_text', { contactField: 'licensePlate', placeholder: '', unknown: 'secret' }),
  fieldOf('count', 'number', { min: 0, max: 9, visibleWhen: when('mail', 'is_not_empty') }),
  fieldOf('size', 'single_choice', { options: optionsOf('s', 'm') }),
  fieldOf('note', 'paragraph'),
]
const whole = definitionOf(fields, {
  notificationEmails: ['owner@example.com'],
  successTitle: 'Thanks',
  submissionLimitPerContact: 1,
})

function ask(
  stored: Partial<StoredForm> | null,
  path = '/forms/contact-us/definition',
  init: RequestInit = {},
) {
  const { forms, reads } = directoryOf(stored === null ? null : { definition: whole, ...stored })
  const log = { info: () => undefined, error: () => undefined }
  const handle = createFetchHandler<{ forms: FormDirectory; log: typeof log }>(clientApi)
  const host = { requestId: 'req_1', world: { forms, log }, answered: () => undefined }
  return {
    response: handle(new Request(`https://api.example${path}`, init), host),
    reads,
  }
}

it('serves what a page needs of a published form, and nothing else', async () => {
  const response = await ask({ passwordHash: 'hash' }).response
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const visibleWhen = { match: 'all', rules: [{ field: 'mail', operator: 'is_not_empty', value: null }] }
  expect(await response.json()).toEqual({
    formId: 'contact-us',
    name: 'Contact us',
    requiresPassword: true,
    fields: [
      { id: 'mail', type: 'email', label: 'Email', required: true, maxLength: 0, autocomplete: 'email' },
      { id: 'plate', type: 'short_text', label: 'plate', placeholder: '' },
      { id: 'count', type: 'number', label: 'count', min: 0, max: 9, visibleWhen },
      { id: 'size', type: 'single_choice', label: 'size', options: optionsOf('s', 'm') },
      { id: 'note', type: 'paragraph', label: 'note' },
    ],
  })
})

it('says how the form client speaks, where the form sets that', async () => {
  const settings = { language: 'es', texts: { sending: 'Un momento…', send: 'Reservar' } } as const
  const response = await ask({ definition: definitionOf(fields, settings) }).response
  const { language, words } = (await response.json()) as { language?: string; words?: Record<string, string> }
  expect([language, words?.sending, words?.checkAnswers]).toEqual([
    'es',
    'Un momento…',
    'Sus respuestas aún no se han guardado. Revise lo que está marcado.',
  ])
  expect(words).not.toHaveProperty('send')
})

describe('answers 404, readable by every page and not to be kept, for', () => {
  test.each([
    ['an unknown form', null],
    ['an unpublished form', { isPublished: false }],
    ['a form that must be hosted', { definition: definitionOf([fieldOf('a', 'signature')]) }],
  ])('%s', async (_name, stored) => {
    const response = await ask(stored).response
    expect([response.status, await response.json()]).toEqual([404, { error: 'Not found' }])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  it.each(['/forms/%00/definition', `/forms/${'a'.repeat(201)}/definition`, '/forms/a%2Fb/definition'])(
    'what cannot be the id of a form, without a storage call: %s',
    async (path) => {
      const asked = ask({}, path)
      expect((await asked.response).status).toBe(404)
      expect(asked.reads()).toBe(0)
    },
  )
})

it('knows GET and HEAD only', async () => {
  const refused = await ask({}, undefined, { method: 'POST' }).response
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  const head = await ask({}, undefined, { method: 'HEAD' }).response
  expect([head.status, await head.text()]).toEqual([200, ''])
})

it('serves the schema of forms without a storage call', async () => {
  const asked = ask(null, '/forms/schema.json')
  const response = await asked.response
  expect([response.status, asked.reads()]).toEqual([200, 0])
  expect(await response.json()).toMatchObject({ title: 'Form', additionalProperties: false })
})

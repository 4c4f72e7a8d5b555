import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import { openOperatorClient } from '../../test/support/services/operator/operator-client.ts'
import { openTestService } from '../../test/support/services/service.ts'
import { changedIn, saveForm } from './app/forms/editing.ts'
import { replacing } from './app/organizations/settings.ts'
import { createClient, conditionOf, type Client } from './app/service/client.ts'

// What the console does when somebody else was faster, asked of the service itself.

const params = { organizationId: 'acme' }
const FORM = { formId: 'contact', name: 'Contact', notificationEmails: [], fields: [] }
const show = (by: Client) => by.call('organizationForms.show', { params: { ...params, formId: 'contact' } })

let mine: Client
let theirs: Client
/** Called after each of my requests. */
let afterMine: (method: string) => Promise<unknown>

beforeEach(async () => {
  const service = await openTestService((clock) => createScratchStorage({ clock }))
  await service.addOrganization('acme')
  const [my, their] = [await openOperatorClient(service), await openOperatorClient(service)]
  afterMine = async () => undefined
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const response = await service.send(path, init)
    const isMine = new Headers(init.headers).get('authorization') === `Bearer ${my.key}`
    if (isMine) await afterMine(init.method ?? '')
    return response
  })
  mine = createClient(null, () => undefined, my.key)
  theirs = createClient(null, () => undefined, their.key)
  await theirs.call('organizationForms.save', { params, body: { forms: [FORM] } })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const saveTheirs = (changes: object) =>
  theirs.call('organizationForms.save', { params, body: { forms: [{ ...FORM, ...changes }] } })

test('a form that somebody else has changed is not saved, and shown as it is now; then it is saved over that', async () => {
  const seen = await show(mine)
  await saveTheirs({ name: 'Theirs', password: 'sesame' })
  const input = { form: { ...FORM, name: 'Mine' }, isPublished: null }
  const saving = await saveForm(mine, 'acme', seen, input)
  if (saving.kind !== 'conflict' || saving.current === null) throw new Error('There is no conflict')
  expect(saving.current).toEqual(await show(theirs))
  expect(changedIn(seen, saving.current)).toEqual(['name', 'password'])
  await saveTheirs({ name: 'Theirs again' })
  expect((await saveForm(mine, 'acme', saving.current, input)).kind).toBe('conflict')
  const over = await saveForm(mine, 'acme', await show(mine), input)
  expect(over).toMatchObject({ kind: 'saved', stored: { name: 'Mine', requiresPassword: true } })
})

test('a new form is not saved in place of one that is there', async () => {
  const saving = await saveForm(mine, 'acme', null, { form: { ...FORM, name: 'Mine' }, isPublished: null })
  expect(saving).toMatchObject({ kind: 'conflict', current: { name: 'Contact' } })
})

test('what somebody else changes between saving and publishing is not published unseen', async () => {
  const seen = await show(mine)
  afterMine = async (method) => {
    if (method === 'POST') await saveTheirs({ name: 'Theirs' })
  }
  const saving = await saveForm(mine, 'acme', seen, { form: { ...FORM, name: 'Mine' }, isPublished: true })
  expect(saving).toMatchObject({ kind: 'conflict', current: { name: 'Theirs', isPublished: false } })
})

test('what somebody else changes before the saved form is read again is not saved over unseen', async () => {
  const seen = await show(mine)
  afterMine = async (method) => {
    if (method === 'POST') await saveTheirs({ name: 'Theirs' })
  }
  const saving = await saveForm(mine, 'acme', seen, { form: { ...FORM, name: 'Mine' }, isPublished: null })
  if (saving.kind !== 'saved') throw new Error('It was not saved')
  afterMine = async () => undefined
  const again = { form: { ...FORM, name: 'Mine again' }, isPublished: null }
  expect((await saveForm(mine, 'acme', saving.stored, again)).kind).toBe('conflict')
  expect((await show(theirs)).name).toBe('Theirs')
})

test('settings that somebody else has changed are not saved, are read again, and are named', async () => {
  const seen = await mine.call('organizations.show', { params })
  await theirs.call('organizations.save', { params, body: { slug: 'theirs', analytics: true } })
  await theirs.call('retention.set', { params, body: { submissions: 30 } })
  const reload = vi.fn()
  const save = () =>
    replacing(seen, reload, (replaces) =>
      mine.call('organizations.save', { params, body: { name: 'Mine' }, replaces }),
    )
  await expect(save()).rejects.toThrow(
    'Somebody else changed this organization after you opened it, so nothing was saved. Now it has Sender of email: theirs. It may use the analytics: yes. Retention: submissions 30, sends without an end. What you typed is still here, and everything else is shown as it is now. Look at it, then save again.',
  )
  expect(reload).toHaveBeenCalledOnce()
  expect((await theirs.call('organizations.show', { params })) as object).toMatchObject({ name: 'Test' })
})

test('a change of something that was never shown is not sent', () => {
  expect(() => conditionOf({})).toThrow('no ETag')
})

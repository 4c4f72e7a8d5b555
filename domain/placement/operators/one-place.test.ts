import { expect, it } from 'vitest'
import { form, submission } from '../../../adapters/conformance/fixtures.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { fakeClock } from '../../../test/support/runner/fakes.ts'
import { newOrganization } from '../../organizations/settings.ts'
import { onePlace } from './overview.ts'

it('restores into the one database, and nowhere else', async () => {
  const storage = createScratchStorage({ clock: fakeClock(), choice: { kind: 'shared' } })
  const { restorePlaces } = onePlace(storage)
  const acme = { organizationId: 'acme', parentId: null, slug: null }
  expect(await restorePlaces.prepare(acme, null)).toBe('ready')
  expect(await restorePlaces.prepare(acme, { kind: 'shared' })).toBe('ready')
  expect(await restorePlaces.prepare(acme, { kind: 'own', region: null, jurisdiction: null })).toBe(
    'no_places',
  )
  await storage.administration.saveOrganization(newOrganization('other', 'Other'))
  await storage.tenant('other').upsert('forms', [form('theirs')])
  expect(await restorePlaces.formsOfOthers('acme', ['theirs', 'mine'])).toEqual(['theirs'])
  expect(await restorePlaces.formsOfOthers('other', ['theirs'])).toEqual([])
})

it('shows organizations and waiting work page by page', async () => {
  const storage = createScratchStorage({ clock: fakeClock(), choice: { kind: 'shared' } })
  for (const id of ['a', 'b', 'c']) await storage.administration.saveOrganization(newOrganization(id, id))
  const { overview } = onePlace(storage)
  const first = await overview.organizations(null, 2)
  expect([first.rows.map(({ organizationId }) => organizationId), first.next]).toEqual([['a', 'b'], 'b'])
  const second = await overview.organizations(first.next, 2)
  expect([second.rows.map(({ organizationId }) => organizationId), second.next]).toEqual([['c'], null])
  const outbox = ['1', '2', '3'].map((outboxId) => ({ outboxId, kind: 'notification_email', payload: {} }))
  await storage.tenant('a').upsert('forms', [form('form-1')])
  await storage.tenant('a').saveSubmission(submission('sub', { outbox }))
  const work = await overview.outbox(null, 2)
  const last = await overview.outbox(work.next, 1)
  expect([...work.rows, ...last.rows].map(({ outboxId }) => outboxId)).toEqual(['1', '2', '3'])
  expect([work.next === null, last.next]).toEqual([false, null])
  expect(await overview.describe('d')).toBeNull()
  expect((await overview.describe('a'))?.place.place).toBe('shared')
})

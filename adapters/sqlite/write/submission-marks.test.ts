import { expect, test } from 'vitest'
import { form, organization, submission } from '../../conformance/fixtures.ts'
import { createScratchStorage } from '../../../test/support/scratch/scratch-storage.ts'
import { createStorage, type Executor } from '../index.ts'

const clock = { nowMs: () => Date.parse('2020-06-15T12:00:00.000Z') }
const notifying = (email: string) =>
  form('form-1', { definition: { formId: 'form-1', fields: [], notificationEmails: [email] } })

test('a form that is saved while spam of it is released is told of as it is then', async () => {
  const { database } = createScratchStorage({ clock })
  let interrupt: (() => Promise<unknown>) | null = null
  let isNext = false
  const executor: Executor = {
    async batch(statements) {
      const isRelease = statements.some(({ sql }) =>
        sql.includes('update form_submissions as s set spam = 0'),
      )
      if (isRelease && isNext) {
        isNext = false
        await interrupt?.()
      }
      return database.batch(statements)
    },
  }
  const storage = createStorage({ executor, clock, isShared: true })
  await storage.administration.saveOrganization(organization('org-a'))
  const tenant = storage.tenant('org-a')
  await tenant.upsert('forms', [notifying('before@example.com')])
  const spam = { reasons: ['links'], signs: [], words: [] }
  await tenant.saveSubmission(submission('sub-1', { judged: spam }, { email: 'ada@example.com' }))

  interrupt = () => tenant.upsert('forms', [notifying('after@example.com')])
  isNext = true
  expect(await tenant.markSubmissions(['sub-1'], { isSpam: false })).toEqual([])
  const [entries] = await database.batch([{ sql: 'select payload, kind from outbox', parameters: [] }])
  expect(entries?.rows).toEqual([
    { kind: 'notification_email', payload: expect.stringContaining('after@example.com') as string },
  ])
  expect(isNext).toBe(false)
})

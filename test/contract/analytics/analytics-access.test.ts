import { describe, expect, test } from 'vitest'
import { endpoints } from '../../support/contract/endpoints.ts'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'
import type { ExitSurveySource } from '../../../ports/sources.ts'
import { capable, get, scratchService } from '../../support/data/analytics/analytics-service.ts'
import { bringLines } from '../../support/data/bring-lines.ts'
import { validatorOf } from '../../support/contract/contract-validator.ts'
import { members, offers, picked } from '../../support/data/analytics/few-members.ts'

const analytics: readonly OperationEndpoint[] = endpoints
  .filter((endpoint) => endpoint.kind === 'operation')
  .filter(({ tag }) => tag === 'Analytics')

describe.each(analytics.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (path, endpoint) => {
  test('needs a tenant key, and the capability before it looks at anything', async () => {
    const service = await scratchService()
    const key = await service.addOrganization('acme', capable)
    const platform = await service.addPlatformKey()
    const poor = await service.addOrganization('poor', { analytics: false, retentionOfferAnalytics: false })
    expect((await get(service, path, key)).status).toBe(200)
    for (const wrong of [platform, `${key}x`, 'nonsense']) {
      expect((await get(service, `${path}?dimension=odd`, wrong)).status).toBe(401)
    }
    const refused = await get(service, `${path}?dimension=odd`, poor)
    if (endpoint.requires === null) expect(refused.status).toBe(200)
    else {
      expect(refused.status).toBe(403)
      expect(validatorOf(endpoint, 403)(refused.body)).toEqual([])
      const other = endpoint.requires === 'analytics' ? 'retentionOfferAnalytics' : 'analytics'
      const half = await service.addOrganization('half', {
        ...capable,
        [endpoint.requires]: false,
        [other]: true,
      })
      expect((await get(service, path, half)).status).toBe(403)
    }
    const posted = await service.send(path, { method: 'POST', key })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await service.send(path, { method: 'HEAD', key })
    expect([head.status, await head.text(), head.headers.get('cache-control')]).toEqual([
      200,
      '',
      'private, no-store',
    ])
  })

  test('shows nothing of another organization, a child or a parent either', async () => {
    const service = await scratchService()
    const key = await service.addOrganization('acme', capable)
    await service.addOrganization('child', { ...capable, parentId: 'acme' })
    await service.addOrganization('other', capable)
    const empty = await get(service, path, key)
    for (const id of ['child', 'other']) {
      await bringLines(service, id, {
        memberships: members,
        'retention-offer-events': offers,
        'exit-survey-events': picked,
      })
    }
    expect(await get(service, path, key)).toEqual(empty)
    for (const parameter of ['organizationId', 'organization', 'org']) {
      expect(await get(service, `${path}?${parameter}=other`, key)).toEqual(empty)
    }
  })
})

test('a survey whose source fails is a 200 that says that nothing is known', async () => {
  const failing: ExitSurveySource = {
    open: () => ({ countReasons: async () => ({ kind: 'unavailable', reason: 'The source is busy.' }) }),
  }
  const service = await scratchService({ exitSurvey: failing })
  const key = await service.addOrganization('acme', capable)
  const { status, body } = await get(service, '/api/v1/cancellation-survey?start=2026-01-01', key)
  expect([status, body]).toEqual([
    200,
    {
      organizationId: 'acme',
      dateRange: { start: '2026-01-01T00:00:00.000Z', end: null },
      source: 'exit_survey',
      available: false,
      totals: { selections: 0 },
      reasons: [],
      other: null,
    },
  ])
  const [endpoint] = analytics.filter(({ path }) => path.endsWith('/cancellation-survey'))
  expect(endpoint === undefined ? null : validatorOf(endpoint, 200)(body)).toEqual([])
  expect(service.errors).toEqual(['exit_survey_unavailable'])
})

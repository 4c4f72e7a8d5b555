import { afterAll, beforeAll, expect, test } from 'vitest'
import { DUB_KEY, dubLink, openDub } from '../support/providers/dub.ts'
import { openLiveService, type LiveService } from '../support/services/live-service.ts'
import type { StandIn } from '../support/providers/stand-in.ts'

let dub: StandIn
let live: LiveService

beforeAll(async () => {
  dub = await openDub([dubLink('link_1', 'acme'), dubLink('link_2', 'other')])
  live = await openLiveService({ DUB_API_KEY: DUB_KEY, DUB_API_URL: dub.url })
})
afterAll(async () => {
  await live.close()
  await dub.close()
})

async function get(path: string): Promise<readonly [number, unknown]> {
  const response = await fetch(live.origin + path, { headers: { authorization: `Bearer ${live.key}` } })
  return [response.status, await response.json()]
}

test('the deployed worker reads links from the service that it is configured for', async () => {
  expect(await get('/api/v1/links')).toMatchObject([200, { data: [{ linkId: 'link_1' }] }])
  expect(await get('/api/v1/links/link_1')).toMatchObject([200, { linkId: 'link_1' }])
  expect(await get('/api/v1/links/link_2')).toEqual([404, { error: 'Not found' }])
  expect(await get('/api/v1/links/analytics')).toMatchObject([200, { data: [] }])
})

test.each(['reset', 'garbage', { status: 500 }, { status: 429 }, { status: 401 }] as const)(
  '502 when the service is of no use: %j',
  async (trouble) => {
    const sentence = { error: 'A service that this resource comes from is unavailable. Try again later.' }
    for (const path of ['/api/v1/links', '/api/v1/links/link_1', '/api/v1/links/link_1/analytics']) {
      dub.misbehave.push(trouble, trouble)
      expect(await get(path)).toEqual([502, sentence])
      dub.misbehave.splice(0)
    }
  },
)

import { createServer, get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { notTheService } from '../../../test/support/contract/contract-seen.ts'
import type { DemoSite } from './server.ts'
import { startDemoSite } from './server.ts'

const key = 'ck_live_demo_secret'
const options = { serviceUrl: '', key, preferredPort: 70_000 }
let site: DemoSite
let endException: () => void
const service = createServer((request, response) => {
  const isKnown = request.headers.authorization === `Bearer ${key}`
  response.end(JSON.stringify(isKnown ? { fields: [{ id: 'a' }], successTitle: 'T' } : {}))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve)
  })
  const address = service.address()
  const port = typeof address === 'object' ? address?.port : 0
  const serviceUrl = `http://127.0.0.1:${port ?? 0}`
  endException = notTheService(serviceUrl, 'a stand-in that knows two answers')
  site = await startDemoSite({ ...options, serviceUrl })
})
afterAll(() => {
  endException()
  site.close()
  service.close()
})

it('serves forms that post to the service, without the key', async () => {
  for (const path of ['/', '/contact', '/damage-claim', '/members', '/thanks', '/style.css']) {
    const response = await fetch(site.url + path)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).not.toMatch(/ck_live|\{\{/)
    if (text.includes('<form')) expect(text).toMatch(/action="http:\/\/127\.0\.0\.1:\d+\/api\/forms\//)
  }
})

it('passes the fields of its own forms on', async () => {
  const response = await fetch(`${site.url}/forms/demo-contact.json`)
  expect(await response.json()).toEqual({ fields: [{ id: 'a' }] })
  expect((await fetch(`${site.url}/forms/other.json`)).status).toBe(404)
  expect((await fetch(`${site.url}/../server.ts`)).status).toBe(404)
})

it('answers only requests to this machine by name', async () => {
  const { port } = new URL(site.url)
  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/', headers: { host: 'evil.example' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
  expect(status).toBe(403)
})

it('takes another port when its own is taken', async () => {
  const second = await startDemoSite({ ...options, preferredPort: Number(new URL(site.url).port) })
  expect(second.url).not.toBe(site.url)
  second.close()
})

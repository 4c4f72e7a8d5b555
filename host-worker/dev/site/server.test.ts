import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DemoSite } from './server.ts'
import { startDemoSite } from './server.ts'

const options = { serviceUrl: 'http://127.0.0.1:8787', preferredPort: 70_000 }
let site: DemoSite

beforeAll(async () => {
  site = await startDemoSite(options)
})
afterAll(() => {
  site.close()
})

it('serves forms that post to the service', async () => {
  const withForm: string[] = []
  for (const path of ['/', '/contact', '/damage-claim', '/members', '/thanks', '/style.css']) {
    const response = await fetch(site.url + path)
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).not.toMatch(/ck_live|\{\{/)
    if (!text.includes('<form')) continue
    expect(text).toMatch(/action="http:\/\/127\.0\.0\.1:\d+\/api\/forms\//)
    withForm.push(path)
  }
  expect(withForm).toEqual(['/contact', '/damage-claim', '/members'])
})

it('serves nothing else', async () => {
  for (const path of ['/forms/demo-contact.json', '/../server.ts'])
    expect((await fetch(`${site.url}${path}`)).status).toBe(404)
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

import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { keepCronFiring } from './cron.ts'

const pace = { cronEveryMs: 20, probeEveryMs: 5, retryMs: 5, probeTimeoutMs: 500 }
let server: Server | undefined
const ending = new AbortController()

afterEach(() => {
  ending.abort()
  server?.closeAllConnections()
  server?.close()
})

/** A service that answers in this way, and records the requested paths. */
async function listen(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a service whose cron works for long does not hang, and its cron is not fired again meanwhile', async () => {
  const asked = { crons: 0, pages: 0 }
  const manyPages = Promise.withResolvers<undefined>()
  const url = await listen((request, response) => {
    if (request.url?.startsWith('/cdn-cgi/') === true) {
      asked.crons += 1
      return
    }
    asked.pages += 1
    response.end('ok')
    if (asked.pages === 50) manyPages.resolve(undefined)
  })
  let hangs = 0
  const firing = keepCronFiring(url, ending.signal, () => (hangs += 1), pace)
  await manyPages.promise
  expect({ hangs, crons: asked.crons }).toEqual({ hangs: 0, crons: 1 })
  ending.abort()
  await firing
})

test('a service that answers no page hangs', async () => {
  const url = await listen((_, response) => {
    response.destroy()
  })
  let hangs = 0
  const hung = Promise.withResolvers<undefined>()
  const signal = new AbortController()
  const firing = keepCronFiring(
    url,
    signal.signal,
    () => {
      hangs += 1
      hung.resolve(undefined)
    },
    pace,
  )
  await hung.promise
  signal.abort()
  await firing
  expect(hangs).toBeGreaterThan(0)
})

import { expect, test } from 'vitest'
import { DROPPED_MAX_BYTES, dropUnreadBody } from './body.ts'

const CHUNK = new Uint8Array(65_536)
const never = { after: () => new AbortController().signal }

/** A request whose body has `count` chunks, and how many of them were taken. */
function posted(count: number, headers: Readonly<Record<string, string>> = {}) {
  let taken = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += 1
        if (taken > count) controller.close()
        else controller.enqueue(CHUNK)
      },
    },
    { highWaterMark: 0 },
  )
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return { request: new Request('https://service.example', init), taken: () => taken }
}

test('a body that was not read is read to its end', async () => {
  const { request, taken } = posted(3)
  await dropUnreadBody(request, never)
  expect(taken()).toBe(4)
})

test('an endless body is read up to the bound', async () => {
  const { request, taken } = posted(Infinity)
  await dropUnreadBody(request, never)
  expect(taken()).toBe(DROPPED_MAX_BYTES / CHUNK.length + 1)
})

test('of a body that declares more than the bound nothing is read', async () => {
  const { request, taken } = posted(3, { 'content-length': String(DROPPED_MAX_BYTES + 1) })
  await dropUnreadBody(request, never)
  expect(taken()).toBe(0)
})

test('a silent sender is awaited until the time is over', async () => {
  const silent = new ReadableStream({ pull: () => new Promise(() => undefined) })
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body: silent, duplex: 'half' }
  const request = new Request('https://service.example', init)
  await dropUnreadBody(request, { after: () => AbortSignal.abort() })
  expect(request.body?.locked).toBe(true)
  // Its reader still waits, so a second call has nothing to do.
  await dropUnreadBody(request, never)
})

test('a request without a body, or whose body was read or has failed, is left alone', async () => {
  await dropUnreadBody(new Request('https://service.example'), never)
  const { request, taken } = posted(1)
  await request.arrayBuffer()
  const read = taken()
  await dropUnreadBody(request, never)
  expect(taken()).toBe(read)
  const failing = new ReadableStream({
    pull: (controller) => {
      controller.error(new Error('cut'))
    },
  })
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body: failing, duplex: 'half' }
  await expect(dropUnreadBody(new Request('https://service.example', init), never)).resolves.toBeUndefined()
})

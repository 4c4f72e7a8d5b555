import { expect, test } from 'vitest'
import { readDeclared, readLimited } from './body.ts'

const never = new AbortController().signal

function streamOf(...chunks: readonly (string | Error)[]): ReadableStream<Uint8Array> {
  const left = [...chunks]
  return new ReadableStream({
    pull(controller) {
      const next = left.shift()
      if (next === undefined) controller.close()
      else if (next instanceof Error) controller.error(next)
      else controller.enqueue(new TextEncoder().encode(next))
    },
  })
}

const readings = {
  'piece by piece': (stream: ReadableStream<Uint8Array>, signal: AbortSignal) =>
    readLimited(stream, 4, signal),
  'in one go': (stream: ReadableStream<Uint8Array>, signal: AbortSignal) =>
    readDeclared(new Response(stream), 4, signal),
}

test.each(Object.entries(readings))('a stream that is read %s is counted', async (_, read) => {
  const bytes = new TextEncoder().encode('abcd')
  expect(await read(streamOf('ab', '', 'cd'), never)).toEqual({ kind: 'bytes', bytes })
  expect(await read(streamOf('ab', 'cde'), never)).toEqual({ kind: 'too_large' })
})

test.each(Object.entries(readings))('a stream that is read %s says why it broke off', async (_, read) => {
  const cut = new Error('cut')
  const broken = await read(streamOf('ab', cut), never)
  expect(broken).toEqual({ kind: 'incomplete', cause: cut })
  const late = new Error('late')
  const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
  expect(await read(silent, AbortSignal.abort(late))).toEqual({ kind: 'incomplete', cause: late })
})

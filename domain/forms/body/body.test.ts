import { describe, expect, it } from 'vitest'
import type { Deadline } from '../../../ports/platform.ts'
import { contentTypeOf } from '../../text/content-type.ts'
import { utf8 } from '../../text/encoding.ts'
import { InexactNumber } from '../definition/answers/entries.ts'
import { readBody, type BodyReading } from './body.ts'

const noDeadline: Deadline = { after: () => new AbortController().signal }
const JSON_TYPE = 'application/json'
const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=XX'

type Init = Readonly<Record<string, string>>

function requestOf(body: BodyInit | null, headers: Init): Request {
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  const request = new Request('https://service.example/', init)
  // A string body sets a content type by itself.
  if (headers['content-type'] === undefined) request.headers.delete('content-type')
  return request
}

function readRequest(request: Request, deadline: Deadline): Promise<BodyReading> {
  return readBody({ request, contentType: contentTypeOf(request.headers) }, deadline)
}

/** The entries of a body that is understood; otherwise the status and code of the refusal. */
async function read(body: BodyInit | null, type?: string, headers: Init = {}): Promise<unknown> {
  const all = type === undefined ? headers : { 'content-type': type, ...headers }
  const reading = await readRequest(requestOf(body, all), noDeadline)
  if (reading.kind === 'refused') return `${reading.status} ${reading.code}`
  return Object.fromEntries(reading.body.entries)
}

function streamOf(...chunks: readonly (Uint8Array | string)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(typeof chunk === 'string' ? utf8(chunk) : chunk)
      controller.close()
    },
  })
}

const bytes = (...values: readonly number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values)

describe('size', () => {
  const exact = `{"_gotcha":"${'x'.repeat(65_536 - 14)}"}`

  it('takes 65536 bytes and no more', async () => {
    expect(exact).toHaveLength(65_536)
    expect(await read(exact, JSON_TYPE)).toHaveProperty('_gotcha')
    expect(await read(`${exact} `, JSON_TYPE)).toBe('413 body_too_large')
  })

  it('believes a Content-Length that is too large without reading', async () => {
    const untouched = new ReadableStream(
      { pull: () => expect.unreachable('the body was read') },
      { highWaterMark: 0 },
    )
    expect(await read(untouched, JSON_TYPE, { 'content-length': '65537' })).toBe('413 body_too_large')
  })

  it.each(['10', '0', 'abc', '-1', ''])(
    'counts the stream whatever a Content-Length of "%s" says',
    async (length) => {
      const chunks = Array.from({ length: 66 }, () => new Uint8Array(1_000))
      expect(await read(streamOf(...chunks), JSON_TYPE, { 'content-length': length })).toBe(
        '413 body_too_large',
      )
    },
  )

  it('counts one-byte chunks as it does larger ones', async () => {
    const chunks = Array.from({ length: 65_537 }, () => bytes(0x78))
    for (const headers of [{}, { 'content-length': '5' }])
      expect(await read(streamOf(...chunks), JSON_TYPE, headers)).toBe('413 body_too_large')
  })

  it('stops reading once the limit is passed', async () => {
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    expect(await read(endless, JSON_TYPE)).toBe('413 body_too_large')
    expect(pulled).toBeLessThan(10)
  })

  it('comes before the content type, which comes before the syntax', async () => {
    expect(await read('x'.repeat(65_537), 'text/plain')).toBe('413 body_too_large')
    expect(await read('x'.repeat(65_537))).toBe('413 body_too_large')
    expect(await read('{', 'text/plain')).toBe('415 unsupported_media_type')
  })

  it('counts bytes, not characters', async () => {
    expect(await read(JSON.stringify({ a: 'ü'.repeat(33_000) }), JSON_TYPE)).toBe('413 body_too_large')
  })
})

describe.each<[string, Init]>([
  ['without a declared length', {}],
  ['with a declared length', { 'content-length': '100' }],
])('time, %s', (_, length) => {
  it('gives up on a body that does not arrive', async () => {
    const never = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes(0x7b))
      },
    })
    const late = new AbortController()
    const headers = { 'content-type': JSON_TYPE, ...length }
    const reading = readRequest(requestOf(never, headers), { after: () => late.signal })
    late.abort()
    expect(await reading).toMatchObject({ status: 400, code: 'invalid_body' })
  })

  it('asks for a deadline once for the whole body', async () => {
    const durations: number[] = []
    const deadline: Deadline = {
      after: (durationMs) => {
        durations.push(durationMs)
        return new AbortController().signal
      },
    }
    const headers = { 'content-type': JSON_TYPE, ...length }
    await readRequest(requestOf(streamOf('{', '"a"', ':1}'), headers), deadline)
    expect(durations).toEqual([20_000])
  })

  it('does not take a body for complete that broke off', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.error(new Error('reset'))
      },
    })
    expect(await read(broken, JSON_TYPE, length)).toBe('400 invalid_body')
  })
})

describe('content type', () => {
  it.each([
    ['application/json; charset=utf-8'],
    ['Application/JSON'],
    ['application/json;charset="UTF-8"'],
    ['application/json;'],
  ])('%s is accepted', async (type) => {
    expect(await read('{"a":1}', type)).toEqual({ a: [1] })
  })

  it.each([
    [undefined],
    ['text/plain'],
    ['text/json'],
    ['application/jsonp'],
    ['application/vnd.api+json'],
    ['application/json, text/plain'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset'],
    ['multipart/mixed; boundary=XX'],
    ['application/octet-stream'],
    ['json'],
  ])('%s is not', async (type) => {
    expect(await read('{"a":1}', type)).toBe('415 unsupported_media_type')
  })

  it('judges a missing body by its type first', async () => {
    expect(await read(null)).toBe('415 unsupported_media_type')
    expect(await read(null, JSON_TYPE)).toBe('400 invalid_body')
    expect(await read('', URLENCODED)).toBe('400 invalid_body')
    expect(await read('', MULTIPART)).toBe('400 invalid_body')
  })

  it('accepts no compression', async () => {
    expect(await read('{"a":1}', JSON_TYPE, { 'content-encoding': 'identity' })).toEqual({ a: [1] })
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'x']) {
      expect(await read('{"a":1}', JSON_TYPE, { 'content-encoding': encoding })).toBe(
        '415 unsupported_media_type',
      )
    }
  })
})

describe('JSON', () => {
  it('keeps types', async () => {
    const value = { s: 'x', n: 1.5, b: false, l: ['a'], z: null, o: { deep: [1] } }
    const expected = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, [inner]]))
    expect(await read(JSON.stringify(value), JSON_TYPE)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['{"a":9007199254740993}', new InexactNumber('9007199254740993')],
    ['{"a":-1.2345678901234567}', new InexactNumber('-1.2345678901234567')],
    ['{"a":1e400}', new InexactNumber('1e400')],
    ['{"a":-1E-400}', new InexactNumber('-1E-400')],
    ['{"a":9007199254740992}', new InexactNumber('9007199254740992')],
    ['{"a":123456789012345}', 123456789012345],
    ['{"a":100000000000000000000000}', 1e23],
    ['{"a":0.000000000000000000012}', 1.2e-20],
    ['{"a":-0}', -0],
    ['{"a":9007199254740993,"a":1}', 1],
    ['{"a":1,"a":9007199254740993}', new InexactNumber('9007199254740993')],
    ['{"\\u0061":9007199254740993}', new InexactNumber('9007199254740993')],
    ['{"a":"9007199254740993"}', '9007199254740993'],
    ['{"b":{"a":9007199254740993},"a":2}', 2],
    ['{"b":[{"a":[9007199254740993,":"]}], "a" :\n2}', 2],
    ['{"b":"\\",\\"a\\":9007199254740993","a":2}', 2],
    ['{"b}":":","{":"[", "a":9007199254740993 }', new InexactNumber('9007199254740993')],
  ])('knows a number as it was written: %s', async (text, expected) => {
    expect(await read(text, JSON_TYPE)).toMatchObject({ a: [expected] })
  })

  it('knows the numbers of a body that is full of them', async () => {
    const text = `{${Array.from({ length: 2_300 }, (_, index) => `"k${index}":1234567890123456`).join(',')}}`
    const body = (await read(text, JSON_TYPE)) as Record<string, unknown[]>
    expect(Object.values(body).every(([value]) => value instanceof InexactNumber)).toBe(true)
    expect(await read(`{"a":"${'\\"'.repeat(32_000)}"}`, JSON_TYPE)).toEqual({ a: ['"'.repeat(32_000)] })
  })

  it('takes the last of a repeated key', async () => {
    expect(await read('{"a":1,"b":2,"a":3}', JSON_TYPE)).toEqual({ a: [3], b: [2] })
  })

  it('has no special keys', async () => {
    const body = '{"__proto__":{"polluted":true},"constructor":"c","toString":"t"}'
    const reading = await readRequest(requestOf(body, { 'content-type': JSON_TYPE }), noDeadline)
    if (reading.kind === 'refused') throw new Error(reading.error)
    expect([...reading.body.entries.keys()]).toEqual(['__proto__', 'constructor', 'toString'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('drops a byte order mark', async () => {
    expect(await read('\uFEFF{"a":1}', JSON_TYPE)).toEqual({ a: [1] })
  })

  it.each([
    ['nothing but space', ' '],
    ['a list', '[]'],
    ['a string', '"a"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
    ['half an object', '{"a":'],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['something behind', '{"a":1}{}'],
    ['a raw control character', '{"a":"\u0001"}'],
    ['NaN', '{"a":NaN}'],
    ['two marks', '\uFEFF\uFEFF{"a":1}'],
    ['an open abyss', '['.repeat(60_000)],
    ['an open abyss of objects', '{"a":'.repeat(13_000)],
  ])('%s is malformed', async (_name, body) => {
    expect(await read(body, JSON_TYPE)).toBe('400 invalid_body')
  })

  it('survives a deep value', async () => {
    expect(await read(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, JSON_TYPE)).toHaveProperty('a')
  })

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a truncated character', [0xe2, 0x82]],
    ['latin-1', [0xe9]],
  ])('%s is not UTF-8', async (_name, bad) => {
    expect(await read(bytes(0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, ...bad, 0x22, 0x7d), JSON_TYPE)).toBe(
      '400 invalid_body',
    )
  })
})

describe('URL-encoded', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>]>([
    ['a=1&b=2', { a: ['1'], b: ['2'] }],
    ['a=1&a=2&b=&a=3', { a: ['1', '2', '3'], b: [''] }],
    ['a', { a: [''] }],
    ['a=1=2', { a: ['1=2'] }],
    ['&&a=1&', { a: ['1'] }],
    ['=x', { '': ['x'] }],
    ['a+b=c+d%2B', { 'a b': ['c d+'] }],
    ['%C3%BC=%e2%82%ac', { ü: ['€'] }],
    ['ü=€', { ü: ['€'] }],
    ['a=100%&b=%zz&c=%4', { a: ['100%'], b: ['%zz'], c: ['%4'] }],
    ['a=%00%0d%0A', { a: ['\0\r\n'] }],
    ['a=%25%32%35', { a: ['%25'] }],
    ['constructor=x&toString=y', { constructor: ['x'], toString: ['y'] }],
    ['a=%EF%BB%BFx', { a: ['\uFEFFx'] }],
    ['a[]=1;b=2', { 'a[]': ['1;b=2'] }],
  ])('%s', async (body, expected) => {
    expect(await read(body, URLENCODED)).toEqual(expected)
  })

  it.each([['a=%FF'], ['%E9=x'], ['a=%C3'], ['a=%ED%A0%80']])('%s is not UTF-8', async (body) => {
    expect(await read(body, URLENCODED)).toBe('400 invalid_body')
  })

  it('refuses raw bytes that are not UTF-8', async () => {
    expect(await read(bytes(0x61, 0x3d, 0xe9), URLENCODED)).toBe('400 invalid_body')
  })

  it('agrees with the platform where both accept', async () => {
    const text = 'q=%20a%20&q=b+&=&x=%26%3D&%41=1&ä=%F0%9F%98%80'
    const expected = new URLSearchParams(text)
    const actual = (await read(text, URLENCODED)) as Record<string, string[]>
    for (const name of expected.keys()) expect(actual[name]).toEqual(expected.getAll(name))
  })
})

import { describe, expect, it } from 'vitest'
import type { Deadline } from '../../ports/platform.ts'
import { contentTypeOf } from '../text/http.ts'
import { utf8 } from '../text/encoding.ts'
import { InexactNumber } from './language/answers.ts'
import { readBody, parseMultipart, type BodyReading } from './body.ts'

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
    ['{"a":1234567890.12345}', 1234567890.12345],
    ['{"a":1234567890.123456}', new InexactNumber('1234567890.123456')],
    ['{"a":1e3}', 1000],
    ['{"a":9e15,"b":"x"}', 9e15],
    ['{"a":0.1,"b":9007199254740993}', 0.1],
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

const parse = (body: string | Uint8Array, boundary = 'XX'): unknown => {
  const result = parseMultipart(typeof body === 'string' ? utf8(body) : body, boundary)
  return 'kind' in result ? result.code : Object.fromEntries(result)
}

const part = (disposition: string, text: string, more = ''): string =>
  `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${text}\r\n`
const body = (...parts: readonly string[]): string => `${parts.join('')}--XX--\r\n`

describe('what is read', () => {
  it.each<[string, string, unknown]>([
    ['parts', body(part('name="a"', '1'), part('name="b"', '2')), { a: ['1'], b: ['2'] }],
    ['repeated names', body(part('name="a"', '1'), part('name="a"', '2')), { a: ['1', '2'] }],
    ['no parts', body(), {}],
    ['an empty value', body(part('name="a"', '')), { a: [''] }],
    ['line breaks in a value', body(part('name="a"', '\r\n1\r\n\r\n2\r\n')), { a: ['\r\n1\r\n\r\n2\r\n'] }],
    ['dashes in a value', body(part('name="a"', '--\r\n--X\r\n-- XX')), { a: ['--\r\n--X\r\n-- XX'] }],
    ['the delimiter within a line', body(part('name="a"', 'x--XX--')), { a: ['x--XX--'] }],
    ['a bare line feed before the delimiter', body(part('name="a"', '1\n--XX\n2')), { a: ['1\n--XX\n2'] }],
    ['an unquoted name', body(part('name=a', '1')), { a: ['1'] }],
    ['a name with a quote', body(part('name="a%22b"', '1')), { 'a"b': ['1'] }],
    ['a name with a backslash', body(part('name="a\\b"', '1')), { 'a\\b': ['1'] }],
    ['a name with a line break', body(part('name="a%0D%0Ab"', '1')), { 'a\r\nb': ['1'] }],
    ['a name with a semicolon', body(part('name="a; filename=x"', '1')), { 'a; filename=x': ['1'] }],
    ['a name in UTF-8', body(part('name="größe"', '1 €')), { größe: ['1 €'] }],
    ['an empty name', body(part('name=""', '1')), { '': ['1'] }],
    ['names that objects inherit', body(part('name="constructor"', '1')), { constructor: ['1'] }],
    ['an empty file name', body(part('name="a"; filename=""', '')), { a: [''] }],
    ['an empty extended file name', body(part(`name="a"; filename*=UTF-8''`, '1')), { a: ['1'] }],
    [
      'any content type of a text',
      body(part('name="a"', '1', 'Content-Type: application/octet-stream\r\n')),
      { a: ['1'] },
    ],
    [
      'headers in any case',
      '--XX\r\ncontent-DISPOSITION:form-data;NAME="a"\r\n\r\n1\r\n--XX--',
      { a: ['1'] },
    ],
    ['a preamble and an epilogue', `before\r\n${body(part('name="a"', '1'))}after`, { a: ['1'] }],
    ['no line break at the end', part('name="a"', '1') + '--XX--', { a: ['1'] }],
    [
      'padding behind delimiters',
      '--XX \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--XX-- \r\n',
      { a: ['1'] },
    ],
  ])('%s', (_name, text, expected) => {
    expect(parse(text)).toEqual(expected)
  })

  it('takes boundaries with every allowed character', () => {
    const boundary = "aZ09'()+_,-./:=? x"
    const text = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`
    expect(parse(text, boundary)).toEqual({ a: ['1'] })
  })

  it('agrees with what the platform writes', async () => {
    const form = new FormData()
    for (const [name, value] of [
      ['a', '1'],
      ['a', '2'],
      ['q"\r\n', 'x\r\ny'],
      ['ü', ''],
    ] as const)
      form.append(name, value)
    const request = new Request('https://service.example/', { method: 'POST', body: form })
    const boundary = /boundary=(.*)$/.exec(request.headers.get('content-type') ?? '')?.[1] ?? ''
    const expected = { a: ['1', '2'], 'q"\r\n': ['x\r\ny'], ü: [''] }
    expect(parse(new Uint8Array(await request.arrayBuffer()), boundary)).toEqual(expected)
  })
})

describe('what is malformed', () => {
  const good = body(part('name="a"', '1'))

  it.each<[string, string]>([
    ['nothing', ''],
    ['no delimiter', 'hello'],
    ['no closing delimiter', part('name="a"', '1')],
    ['a truncated closing delimiter', good.slice(0, -3)],
    ['every part missing its end', '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
    ['no name', body(part('x=1', '1'))],
    ['an extended name only', body(part(`name*=UTF-8''a`, '1'))],
    ['two names', body(part('name="a"; name="b"', '1'))],
    ['no disposition', '--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n--XX--'],
    ['two dispositions', body(part('name="a"', '1', 'Content-Disposition: form-data; name="b"\r\n'))],
    ['another disposition', '--XX\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--XX--'],
    ['no headers', '--XX\r\n\r\n1\r\n--XX--'],
    ['no blank line', '--XX\r\nContent-Disposition: form-data; name="a"\r\n1\r\n--XX--'],
    ['a header without a colon', body(part('name="a"', '1', 'Oops\r\n'))],
    ['a folded header', '--XX\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\n1\r\n--XX--'],
    ['an open quote', body(part('name="a', '1'))],
    ['something behind a quote', body(part('name="a"b', '1'))],
    ['bare line feeds', good.replaceAll('\r\n', '\n')],
    ['something behind a delimiter', good.replace('--XX\r\n', '--XXY\r\n')],
    ['something behind the end', part('name="a"', '1') + '--XX--x'],
    ['a line that begins like a delimiter', body(part('name="a"', 'x\r\n--XXX'))],
    ['another boundary', good.replaceAll('XX', 'YY')],
  ])('%s', (_name, text) => {
    expect(parse(text)).toBe('invalid_body')
  })

  it.each(['', ' ', 'a ', 'x'.repeat(71), 'a"b', 'ä', 'a\r\nb'])('the boundary "%s"', (boundary) => {
    expect(parse(`--${boundary}--`, boundary)).toBe('invalid_body')
  })

  it('every truncation of a good body', () => {
    const text = body(part('name="a"', '1'), part('name="b"', '22'))
    // The final line break may be missing; a carriage return alone is not a line break.
    for (let length = 0; length < text.length - 2; length += 1)
      expect(parse(text.slice(0, length))).toBe('invalid_body')
  })

  it('a header that is not UTF-8', () => {
    expect(
      parse(Uint8Array.from(body(part('name="\u00e9"', '1')), (character) => character.charCodeAt(0))),
    ).toBe('invalid_body')
  })
})

it.each<[string, string, string]>([
  ['text in windows-1252', 'Grüße \u0080', 'invalid_body'],
  ['text in Big5', '\u00a4\u00a4\u00a4\u00e5', 'invalid_body'],
  ['text with line breaks', 'a\r\n\tü\f', 'invalid_body'],
  ['a picture', '\u0089PNG\r\n\u001a\n\0\0', 'unsupported_media_type'],
  ['text in UTF-16', '\u00fe\u00ff\0a', 'unsupported_media_type'],
])('%s: %j', (_name, text, kind) => {
  const bytes = Uint8Array.from(body(part('name="a"', text)), (character) => character.charCodeAt(0))
  expect(parse(bytes)).toBe(kind)
})

describe('what is unsupported', () => {
  it.each<[string, string]>([
    ['a file', 'name="a"; filename="x.txt"'],
    ['an unquoted file name', 'name="a"; filename=x.txt'],
    ['an extended file name', `name="a"; filename*=UTF-8''x.txt`],
    ['an extended file name beside an empty one', `name="a"; filename=""; filename*=UTF-8'en'x`],
    ['an odd extended file name', 'name="a"; filename*=x'],
    ['a file name in capitals', 'name="a"; FILENAME="x"'],
    ['a file without a name', 'filename="x"'],
    ['a file name of one space', 'name="a"; filename=" "'],
  ])('%s', (_name, disposition) => {
    expect(parse(body(part('name="b"', '1'), part(disposition, '1')))).toBe('unsupported_media_type')
  })

  it('bytes that are no text', () => {
    const bytes = Uint8Array.from(body(part('name="a"', '\u00ff\u00fe')), (character) =>
      character.charCodeAt(0),
    )
    expect(parse(bytes)).toBe('unsupported_media_type')
  })
})

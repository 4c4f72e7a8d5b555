import { describe, expect, it } from 'vitest'
import { utf8 } from '../../text/encoding.ts'
import { parseMultipart } from './multipart.ts'

const parse = (body: string | Uint8Array, boundary = 'XX'): unknown => {
  const result = parseMultipart(typeof body === 'string' ? utf8(body) : body, boundary)
  return 'kind' in result ? result.kind : Object.fromEntries(result)
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
    expect(parse(text)).toBe('malformed')
  })

  it.each(['', ' ', 'a ', 'x'.repeat(71), 'a"b', 'ä', 'a\r\nb'])('the boundary "%s"', (boundary) => {
    expect(parse(`--${boundary}--`, boundary)).toBe('malformed')
  })

  it('every truncation of a good body', () => {
    const text = body(part('name="a"', '1'), part('name="b"', '22'))
    // The final line break may be missing; a carriage return alone is not a line break.
    for (let length = 0; length < text.length - 2; length += 1)
      expect(parse(text.slice(0, length))).toBe('malformed')
  })

  it('a header that is not UTF-8', () => {
    expect(
      parse(Uint8Array.from(body(part('name="\u00e9"', '1')), (character) => character.charCodeAt(0))),
    ).toBe('malformed')
  })
})

it.each<[string, string, string]>([
  ['text in windows-1252', 'Grüße \u0080', 'malformed'],
  ['text in Big5', '\u00a4\u00a4\u00a4\u00e5', 'malformed'],
  ['text with line breaks', 'a\r\n\tü\f', 'malformed'],
  ['a picture', '\u0089PNG\r\n\u001a\n\0\0', 'unsupported'],
  ['text in UTF-16', '\u00fe\u00ff\0a', 'unsupported'],
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
    expect(parse(body(part('name="b"', '1'), part(disposition, '1')))).toBe('unsupported')
  })

  it('bytes that are no text', () => {
    const bytes = Uint8Array.from(body(part('name="a"', '\u00ff\u00fe')), (character) =>
      character.charCodeAt(0),
    )
    expect(parse(bytes)).toBe('unsupported')
  })
})

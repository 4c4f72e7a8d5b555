import { describe, expect, it } from 'vitest'
import { isControlKey, readControlKeys } from './evaluate.ts'
import { resolveRedirect } from './redirect.ts'
import { groupEntries } from './language/answers.ts'

type Pairs = readonly (readonly [string, unknown])[]

const read = (...pairs: Pairs) => readControlKeys(groupEntries([['_gotcha', ''], ...pairs]))

/** The control keys of a body whose `_gotcha` passes. */
function keysOf(...pairs: Pairs) {
  const reading = read(...pairs)
  if (reading.kind === 'invalid') throw new Error(JSON.stringify([...reading.fieldErrors]))
  return reading.keys
}

function invalidKeys(...pairs: Pairs): readonly string[] {
  const reading = readControlKeys(groupEntries(pairs))
  return reading.kind === 'invalid' ? [...reading.fieldErrors.keys()] : []
}

describe('_gotcha', () => {
  it('is required', () => {
    expect(invalidKeys(['_password', 'x'])).toEqual(['_gotcha'])
  })

  it.each<[string, Pairs]>([
    ['null', [['_gotcha', null]]],
    ['a number', [['_gotcha', 0]]],
    ['false', [['_gotcha', false]]],
    ['a list', [['_gotcha', ['']]]],
    ['an object', [['_gotcha', {}]]],
    [
      'given twice',
      [
        ['_gotcha', ''],
        ['_gotcha', ''],
      ],
    ],
    ['too long', [['_gotcha', 'x'.repeat(10_001)]]],
  ])('is invalid when %s', (_name, pairs) => {
    expect(invalidKeys(...pairs)).toEqual(['_gotcha'])
  })

  it.each([
    ['', false],
    ['x', true],
    [' ', true],
    ['\n', true],
    ['x'.repeat(10_000), true],
  ])('%j', (value, isTrapped) => {
    const reading = readControlKeys(groupEntries([['_gotcha', value]]))
    expect(reading).toMatchObject({ kind: 'keys', keys: { isTrapped } })
  })
})

describe('_password', () => {
  it.each<[unknown, string | null]>([
    ['x', 'x'],
    [' ', ' '],
    ['', null],
    [null, null],
    ['x'.repeat(1_024), 'x'.repeat(1_024)],
  ])('%j', (value, password) => {
    expect(keysOf(['_password', value]).password).toBe(password)
  })

  it('is null when absent', () => {
    expect(keysOf().password).toBeNull()
  })

  it.each<[string, Pairs]>([
    ['too long', [['_password', 'x'.repeat(1_025)]]],
    ['a number', [['_password', 1]]],
    ['a list', [['_password', ['x']]]],
    ['an empty list', [['_password', []]]],
    [
      'given twice',
      [
        ['_password', 'x'],
        ['_password', 'x'],
      ],
    ],
    [
      'given twice, empty',
      [
        ['_password', ''],
        ['_password', ''],
      ],
    ],
  ])('is invalid when %s', (_name, pairs) => {
    expect(invalidKeys(['_gotcha', ''], ...pairs)).toEqual(['_password'])
  })
})

describe('_redirect', () => {
  it.each<[unknown, unknown]>([
    ['/x', '/x'],
    ['', null],
    [null, null],
    [5, 5],
    [false, false],
    [' ', ' '],
  ])('%j', (value, redirect) => {
    expect(keysOf(['_redirect', value]).redirect).toBe(redirect)
  })

  it('is left for later when too long or an object', () => {
    expect(keysOf(['_redirect', 'x'.repeat(2_001)]).redirect).toHaveLength(2_001)
    expect(keysOf(['_redirect', {}]).redirect).toEqual({})
  })

  it.each<[string, Pairs]>([
    ['a list', [['_redirect', ['/x']]]],
    ['an empty list', [['_redirect', []]]],
    [
      'given twice',
      [
        ['_redirect', '/x'],
        ['_redirect', '/x'],
      ],
    ],
    [
      'given twice, empty',
      [
        ['_redirect', ''],
        ['_redirect', ''],
      ],
    ],
  ])('is invalid when %s', (_name, pairs) => {
    expect(invalidKeys(['_gotcha', ''], ...pairs)).toEqual(['_redirect'])
  })
})

it('names every invalid key', () => {
  expect(invalidKeys(['_password', 1], ['_redirect', []])).toEqual(['_gotcha', '_password', '_redirect'])
})

describe('attribution', () => {
  const names = [
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'utm_term',
    'utm_content',
    'gclid',
    'gbraid',
    'wbraid',
    'fbclid',
    'referrer',
    'landing_url',
  ]

  it('is kept by name without the underscore', () => {
    const pairs = names.map((name) => [`_${name}`, ` ${name}! `] as const)
    expect(keysOf(...pairs).attribution).toEqual(Object.fromEntries(names.map((name) => [name, `${name}!`])))
  })

  it.each<[string, Pairs]>([
    ['empty', [['_gclid', '']]],
    ['blank', [['_gclid', ' \t ']]],
    ['null', [['_gclid', null]]],
    ['a number', [['_gclid', 1]]],
    ['a list', [['_gclid', ['x']]]],
    ['an object', [['_gclid', { a: 1 }]]],
    [
      'repeated',
      [
        ['_gclid', 'x'],
        ['_gclid', 'x'],
      ],
    ],
    ['a lone surrogate', [['_gclid', 'x\ud800']]],
    ['a NUL', [['_gclid', 'x\0y']]],
  ])('is ignored when %s', (_name, pairs) => {
    expect(keysOf(...pairs, ['_fbclid', 'y']).attribution).toEqual({ fbclid: 'y' })
  })

  it.each<[string, string, string]>([
    ['450 characters are kept', 'x'.repeat(450), 'x'.repeat(450)],
    ['what follows is cut', 'x'.repeat(451), 'x'.repeat(450)],
    ['white space goes before the cut', `  ${'x'.repeat(450)}  `, 'x'.repeat(450)],
    ['a pair at the cut is left out', `${'x'.repeat(449)}😀`, 'x'.repeat(449)],
    ['a pair before the cut is kept', `${'x'.repeat(448)}😀y`, `${'x'.repeat(448)}😀`],
  ])('%s', (_name, given, kept) => {
    expect(keysOf(['_referrer', given]).attribution).toEqual({ referrer: kept })
  })
})

it('knows its keys and no others', () => {
  expect(
    ['_gotcha', '_password', '_redirect', '_utm_source', '_landing_url'].every((key) => isControlKey(key)),
  ).toBe(true)
  expect(
    ['_', '__proto__', '_subject', 'gotcha', 'utm_source', '_UTM_source', 'constructor'].some((key) =>
      isControlKey(key),
    ),
  ).toBe(false)
})

const ORIGIN = 'https://shop.example'

describe('allowed', () => {
  it.each([
    ['/thanks', 'https://shop.example/thanks'],
    ['thanks', 'https://shop.example/thanks'],
    ['?sent=1', 'https://shop.example/?sent=1'],
    ['#sent', 'https://shop.example/#sent'],
    ['./a/../b', 'https://shop.example/b'],
    ['https://shop.example/thanks?a=1#b', 'https://shop.example/thanks?a=1#b'],
    ['https://shop.example', 'https://shop.example/'],
    ['HTTPS://SHOP.example:443/x', 'https://shop.example/x'],
    ['/größe', 'https://shop.example/gr%C3%B6%C3%9Fe'],
    ['/a b', 'https://shop.example/a%20b'],
    ['/@evil.example', 'https://shop.example/@evil.example'],
    ['/x?to=https://evil.example', 'https://shop.example/x?to=https://evil.example'],
    ['/x//y', 'https://shop.example/x//y'],
    ['evil.example', 'https://shop.example/evil.example'],
    [`/${'x'.repeat(1_999)}`, `https://shop.example/${'x'.repeat(1_999)}`],
  ])('%s', (given, expected) => {
    expect(resolveRedirect(given, ORIGIN)).toBe(expected)
  })

  it('counts the port', () => {
    expect(resolveRedirect('/x', 'http://localhost:3000')).toBe('http://localhost:3000/x')
    expect(resolveRedirect('http://localhost:3000/x', 'http://localhost:3000')).toBe(
      'http://localhost:3000/x',
    )
    expect(resolveRedirect('http://localhost:80/x', 'http://localhost')).toBe('http://localhost/x')
    expect(resolveRedirect('http://[::1]:3000/x', 'http://[::1]:3000')).toBe('http://[::1]:3000/x')
  })

  it('compares hosts in their ASCII form', () => {
    expect(resolveRedirect('https://größe.example/', 'https://xn--gre-6ka8i.example')).toBe(
      'https://xn--gre-6ka8i.example/',
    )
  })
})

describe('not allowed', () => {
  it.each<[string, unknown]>([
    ['another host', 'https://evil.example/'],
    ['a sub-domain', 'https://www.shop.example/'],
    ['a parent domain', 'https://example/'],
    ['a longer host', 'https://shop.example.evil.example/'],
    ['a trailing dot', 'https://shop.example./'],
    ['another scheme', 'http://shop.example/'],
    ['another port', 'https://shop.example:8443/'],
    ['two slashes', '//evil.example/'],
    ['two slashes and the same host', '//shop.example/x'],
    ['three slashes', '///evil.example/'],
    ['slash and backslash', '/\\evil.example/'],
    ['two backslashes', '\\\\evil.example/'],
    ['backslash and slash', '\\/evil.example/'],
    ['space and two slashes', ' //evil.example/'],
    ['a backslash as path', 'https:\\\\evil.example\\'],
    ['a tab in the slashes', '/\t/evil.example/'],
    ['a line break in the slashes', '/\n/evil.example/'],
    ['a carriage return', '/x\r\nSet-Cookie: a=b'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a NUL', '/x\0'],
    ['a delete character', '/x\u007f'],
    ['a C1 control character', '/x\u0085'],
    ['a script', 'javascript:alert(1)'],
    ['a script in capitals', ' JavaScript:alert(1)'],
    ['a script that names the host', 'javascript://shop.example/%0aalert(1)'],
    ['data', 'data:text/html,x'],
    ['a blob of the origin', 'blob:https://shop.example/3c4e'],
    ['a file', 'file:///etc/passwd'],
    ['a custom scheme', 'shop.example:443/x'],
    ['mail', 'mailto:a@shop.example'],
    ['a user', 'https://user@shop.example/'],
    ['a user and password', 'https://user:pass@shop.example/'],
    ['a password', 'https://:pass@shop.example/'],
    ['the host as user', 'https://shop.example@evil.example/'],
    ['the host as user behind a backslash', 'https://evil.example\\@shop.example/'],
    ['no host', 'https://'],
    ['a bad port', 'https://shop.example:99999/'],
    ['a blank', '  '],
    ['too long', `/${'x'.repeat(2_000)}`],
    ['a lone surrogate', '/\ud800'],
    ['a number', 5],
    ['true', true],
    ['an object', { href: '/x' }],
  ])('%s', (_name, given) => {
    expect(resolveRedirect(given, ORIGIN)).toBeNull()
  })

  it.each([
    [null],
    [''],
    ['null'],
    ['*'],
    ['shop.example'],
    ['//shop.example'],
    ['https://'],
    ['https://shop.example/'],
    ['https://shop.example/path'],
    ['https://shop.example?x'],
    ['https://user@shop.example'],
    ['https://shop.example, https://evil.example'],
    ['https://shop.example https://evil.example'],
    ['https://shop.example\\x'],
    ['ftp://shop.example'],
    ['file://'],
    ['chrome-extension://abcdef'],
    ['https://shop.example:port'],
  ])('without a usable Origin: %s', (origin) => {
    expect(resolveRedirect('/thanks', origin)).toBeNull()
    expect(resolveRedirect('https://shop.example/thanks', origin)).toBeNull()
  })
})

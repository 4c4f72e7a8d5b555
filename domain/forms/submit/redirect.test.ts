import { describe, expect, it } from 'vitest'
import { resolveRedirect } from './redirect.ts'

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

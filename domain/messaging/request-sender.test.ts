import { expect, test } from 'vitest'
import { anyEmailSender, emailSenderRuleOf, smsSenderOf, parseMailbox } from './request.ts'
import { formatMailbox } from './sender.ts'

const identity = { domain: 'mail.example.com', brand: 'Brand' }
const acme = { name: 'Acme, Inc.', slug: 'acme' }

const ofTenant = emailSenderRuleOf(acme, identity)
const ofPlatform = emailSenderRuleOf(null, identity)

test('without a wish, each sends as itself', () => {
  expect(ofTenant.usual).toEqual({ name: 'Acme, Inc.', address: 'acme@mail.example.com' })
  expect(ofPlatform.usual).toEqual({ name: 'Brand', address: 'contact@mail.example.com' })
})

test('without a slug or a provider there is nothing to send from, and a sender is any that is one', () => {
  for (const rule of [emailSenderRuleOf({ ...acme, slug: null }, identity), emailSenderRuleOf(acme, null)])
    expect(rule).toBe(anyEmailSender)
  expect(anyEmailSender.read('X <x@example.com>')).toEqual({ name: 'X', address: 'x@example.com' })
  expect(anyEmailSender.read('X')).toBeNull()
})

test.each([
  ['acme@mail.example.com', null],
  ['Any Name <acme@mail.example.com>', 'Any Name'],
  ['<acme@MAIL.Example.COM>', null],
])('a tenant may send as %s', (from, name) => {
  expect(ofTenant.read(from)).toEqual({ name, address: 'acme@mail.example.com' })
})

test.each([
  'Acme@mail.example.com',
  'other@mail.example.com',
  'contact@mail.example.com',
  'acme+x@mail.example.com',
  'acme@example.com',
  'acme@sub.mail.example.com',
  'acme@mail.example.com.evil.example',
  'acme@evilmail.example.com',
  'acme@mail-example.com',
  'acme%mail.example.com@evil.example',
  'acme@mail.example.com.',
  'acme@mail.example.com@evil.example',
  'Acme, Inc. <acme@mail.example.com>',
])('a tenant may not send as %s, and is told as what', (from) => {
  expect(ofTenant.read(from)).toBeNull()
  expect(ofTenant.allowed).toBe('must be acme@mail.example.com, alone or as Name <acme@mail.example.com>')
})

test('the operator may send as anything on the domain, and nothing else', () => {
  expect(ofPlatform.read('X <News.Letter+1@MAIL.example.com>')).toEqual({
    name: 'X',
    address: 'News.Letter+1@mail.example.com',
  })
  for (const from of [
    'contact@example.com',
    'a@sub.mail.example.com',
    'a@evilmail.example.com',
    'a@mail.example.com.evil',
    'a@mail.example.com.',
    'a@mail.example.com, b@mail.example.com',
  ]) {
    expect(ofPlatform.read(from)).toBeNull()
  }
})

test('text messages come from the number, or the short code for whom it is', () => {
  const number = { smsNumber: '+12125550100' }
  expect(smsSenderOf(number, false)).toEqual({ kind: 'number', number: '+12125550100' })
  expect(smsSenderOf(number, true)).toEqual({ kind: 'shortcode' })
  expect(smsSenderOf({ smsNumber: null }, true)).toEqual({ kind: 'shortcode' })
  expect(smsSenderOf({ smsNumber: null }, false)).toBeNull()
  expect([smsSenderOf(null, false), smsSenderOf(null, true)]).toEqual([
    { kind: 'shortcode' },
    { kind: 'shortcode' },
  ])
})

const address = 'acme@mail.example.com'

test.each<[string, string | null]>([
  [address, null],
  [`  ${address} `, null],
  [`<${address}>`, null],
  [`Acme <${address}>`, 'Acme'],
  [`Acme<${address}>`, 'Acme'],
  [` Acme  Car   Wash  <${address}> `, 'Acme  Car   Wash'],
  [`Acme Inc. & Co. <${address}>`, 'Acme Inc. & Co.'],
  [`"Acme, Inc." <${address}>`, 'Acme, Inc.'],
  [`"Acme \\"the\\" \\\\ wash" <${address}>`, 'Acme "the" \\ wash'],
  [`"Acme (North) <x@evil.example>" <${address}>`, 'Acme (North) <x@evil.example>'],
  [`"" <${address}>`, null],
  [`"  " <${address}>`, null],
  [`Größe 洗車 مغسلة 🚗 <${address}>`, 'Größe 洗車 مغسلة 🚗'],
  [`Аcme <${address}>`, 'Аcme'],
  [`O'Brien <${address}>`, "O'Brien"],
])('%s is %s at one address', (text, name) => {
  expect(parseMailbox(text)).toEqual({ name, address })
})

test.each([
  ['nothing', ''],
  ['a name alone', 'Acme'],
  ['no address in the brackets', 'Acme <>'],
  ['only brackets', '<>'],
  ['no opening bracket', `${address}>`],
  ['no closing bracket', `Acme <${address}`],
  ['text behind', `Acme <${address}> x`],
  ['two addresses', `${address}, other@mail.example.com`],
  ['two mailboxes', `Acme <${address}>, B <b@mail.example.com>`],
  ['two bracketed addresses', `<${address}><b@evil.example>`],
  ['a bracketed address behind another', `Acme <${address}> <b@evil.example>`],
  ['nested brackets', `Acme <<${address}>>`],
  ['an address for a name', `${address} <b@evil.example>`],
  ['spaces within the brackets', `Acme < ${address} >`],
  ['a comment behind', `${address} (Acme)`],
  ['a comment before', `(Acme) ${address}`],
  ['a comment in the name', `Acme (North) <${address}>`],
  ['a comment in the address', 'Acme <acme(x)@mail.example.com>'],
  ['a group', `Team: ${address};`],
  ['a named group', `Team: Acme <${address}>;`],
  ['an unquoted comma', `Acme, Inc. <${address}>`],
  ['an unquoted colon', `Acme: <${address}>`],
  ['an unquoted bracket', `Acme [x] <${address}>`],
  ['a stray quote', `Ac"me <${address}>`],
  ['an open quote', `"Acme <${address}>`],
  ['two quoted names', `"Acme" "Wash" <${address}>`],
  ['a quoted name and more', `"Acme" Wash <${address}>`],
  ['a quote that is escaped away', `"Acme\\" <${address}>`],
  ['a quoted name and a second address', `"a" <x@evil.example> "<${address}>`],
  ['an encoded word', `=?utf-8?Q?Acme?= <${address}>`],
  ['an encoded word in quotes', `"=?utf-8?B?QWNtZQ==?=" <${address}>`],
  ['an address that is quoted', '"acme"@mail.example.com'],
  ['an address that is quoted, with an at sign', '"acme@evil.example"@mail.example.com'],
  ['an address literal', 'acme@[127.0.0.1]'],
  ['two at signs', 'acme@mail.example.com@evil.example'],
  ['a route', '<@evil.example:acme@mail.example.com>'],
  ['a percent hack is an address, a bang path with a colon is none', 'evil:acme@mail.example.com'],
  ['a trailing dot', `${address}.`],
  ['an empty label', 'acme@mail..example.com'],
  ['a space in the address', 'ac me@mail.example.com'],
  ['a homograph in the domain', 'acme@mаil.example.com'],
  ['a Kelvin sign in the domain', 'acme@mail.example.\u212Aom'],
  ['a full-width at sign', 'acme＠mail.example.com'],
  ['a full-width bracket', `Acme ＜${address}＞`],
  ['an international domain', 'acme@bücher.example'],
  ['an ideographic full stop', 'acme@mail。example.com'],
  ['a soft hyphen in the address', 'ac\u00ADme@mail.example.com'],
  ['a zero-width space in the address', 'acme\u200B@mail.example.com'],
  ['a line feed', `Acme\nBcc: x@evil.example <${address}>`],
  ['a carriage return at the end', `${address}\r`],
  ['a tab', `Acme\t<${address}>`],
  ['a NUL', `Acme\0 <${address}>`],
  ['a C1 control', `Ac\u0085me <${address}>`],
  ['half a character', `Ac\ud83dme <${address}>`],
  ['a mailto URL', `mailto:${address}`],
])('%s is refused', (_, text) => {
  expect(parseMailbox(text)).toBeNull()
})

test('what was read is written so that it is read the same', () => {
  for (const name of ['Acme', 'Acme, Inc.', 'a "b" \\ c', '<x@evil.example>', 'Größe 🚗', 'Acme Inc.']) {
    expect(parseMailbox(formatMailbox({ name, address }))).toEqual({ name, address })
  }
})

test('a long text of one character is refused', () => {
  for (const character of [' ', '"', '\\', '<', 'a', '=?']) {
    expect(parseMailbox(character.repeat(100_000))).toBeNull()
    expect(parseMailbox(`"${character.repeat(100_000)}" <`)).toBeNull()
  }
})

import { expect, test } from 'vitest'
import { addressRecipient, phoneRecipient } from './recipients.ts'

test.each([
  ['+12125550123', 'US', '+12125550123'],
  ['2125550123', 'US', '+12125550123'],
  ['212-555-0123', 'US', '+12125550123'],
  ['+4930123456', 'US', '+4930123456'],
  ['3012345678', 'DE', '+493012345678'],
  ['612-345-678', 'ES', null],
  ['0612345678', 'FR', '+33612345678'],
  // What people write between the digits is read over.
  ['(212) 555-0123', 'US', '+12125550123'],
  ['212.555.0123', 'US', '+12125550123'],
  ['212 555 0123', 'US', '+12125550123'],
  ['212-5550123', 'US', '+12125550123'],
  ['[212]555–0123', 'US', '+12125550123'],
  ['+1 (212) 555-0123', 'DE', '+12125550123'],
  ['+49\u{a0}30\u{202f}123456', 'US', '+4930123456'],
  ['\u{202a}+12125550123\u{202c} ', 'US', '+12125550123'],
])('%s in %s is %s', (given, country, number) => {
  const recipient = phoneRecipient(given, country)
  if (number === null) expect(recipient).toMatchObject({ kind: 'unreachable', to: given })
  else expect(recipient).toEqual({ kind: 'reachable', key: number, to: number, address: number })
})

test.each([
  '',
  ' ',
  '12125550123',
  '＋12125550123',
  '٢١٢٥٥٥٠١٢٣',
  '5555555555',
  '+0125550123',
  '+12125550123x5',
  '+1 212 555 0123 ext 5',
  '212/555/0123',
  '212_555_0123',
  '(212) 555-012',
  '(212) 555-O123',
  '()-. ',
  '1 212 555 0123',
  '555-0123',
  '2125550123\t',
  '+12125550123,+12125550124',
  'tel:+12125550123',
  '12345',
  'ada@example.com',
  '2125550123\n',
])('%j is no number, which is its own failure', (given) => {
  expect(phoneRecipient(given, 'US')).toMatchObject({ kind: 'unreachable', to: given })
})

test.each([
  ['Ada@Example.COM', 'Ada@Example.COM', 'Ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@BÜCHER.Example', 'ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@XN--BCHER-KVA.example', 'ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah', 'ada@xn--r8jz45g.xn--zckzah'],
  // As forms and imports read it: without white space around it and without what nobody sees.
  ['\u{202a}ada@exam\u{ad}ple.com\u{202c} ', 'ada@example.com', 'ada@example.com'],
])('%s is told as given, written to at %s, and one recipient with %s', (to, address, key) => {
  expect(addressRecipient(to)).toEqual({ kind: 'reachable', key, to, address })
})

test('the local part is another in another case', () => {
  expect(addressRecipient('ada@example.com').key).not.toBe(addressRecipient('Ada@example.com').key)
})

test.each([
  '',
  ' ',
  'ada',
  'ada@',
  '@example.com',
  'Ada <ada@example.com>',
  'a@b@c',
  'ada@exa mple.com',
  'ada@example.com,bob@example.com',
  'ädä@example.com',
  'ada@büch er.example',
  'ada@bücher.example/x',
  'ada@bücher.example@evil.example',
  'ada@bü_cher.example',
  'ada@example.com\r\nBcc: x@example.com',
])('%j is no address', (given) => {
  const recipient = addressRecipient(given)
  expect(recipient).toMatchObject({ kind: 'unreachable', to: given })
  expect(recipient.key).not.toBe(addressRecipient('ada@example.com').key)
})

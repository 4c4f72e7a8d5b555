import * as v from 'valibot'
import { expect, test } from 'vitest'
import { detailsOf } from '../limits/json.ts'
import { judge } from '../text/schema-errors.ts'
import { emailBody, MessageRequest, addressRecipient, phoneRecipient } from './request.ts'

const media = { url: 'https://a.example/b.png' }
const message = { to: '+12125550123', body: 'Hi' }
const email = { to: 'ada@example.com', subject: 'Hi', html: '<p>Hi</p>' }

function wrongWith(schema: v.GenericSchema, body: unknown): readonly string[] {
  const judgement = judge(schema, body)
  return 'value' in judgement ? [] : detailsOf(judgement.problems)
}

const ofMessage = (changes: object) => wrongWith(MessageRequest, { ...message, ...changes })
const ofEmail = (changes: object) => wrongWith(emailBody.schema, { ...email, ...changes })

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ to: ['+12125550123', ''], unknown: { deep: [1] }, __proto__: 1 }, []],
  [{ useShortcode: true, attachments: [] }, []],
  [{ to: '' }, ['to: must not be empty']],
  [{ to: [] }, ['to: must not be empty']],
  [{ to: [''] }, ['to: must not be empty']],
  [{ to: ['a', 5, null] }, ['to.1: must be a string', 'to.2: must be a string']],
  [{ to: 5 }, ['to: must be a string or an array of strings']],
  [{ to: null }, ['to: must be a string or an array of strings']],
  [{ to: { 0: 'a' } }, ['to: must be a string or an array of strings']],
  [{ to: undefined }, ['to: is required']],
  [{ to: [['+12125550123']] }, ['to.0: must be a string']],
  [{ to: Array.from({ length: 501 }, () => 'a') }, ['to: must be at most 500 recipients']],
  [{ to: Array.from({ length: 500 }, () => 'a') }, []],
  [{ to: Array.from({ length: 501 }, () => 5) }, ['to: must be at most 500 recipients']],
  [{ attachments: Array.from({ length: 20 }, () => media) }, []],
  [{ attachments: Array.from({ length: 21 }, () => media) }, ['attachments: must be at most 20 attachments']],
  [{ attachments: Array.from({ length: 21 }, () => 0) }, ['attachments: must be at most 20 attachments']],
  [{ body: '' }, ['body: must not be empty']],
  [{ body: 5 }, ['body: must be a string']],
  [{ body: undefined }, ['body: is required']],
  [{ useShortcode: 'true' }, ['useShortcode: must be true or false']],
  [{ useShortcode: null }, ['useShortcode: must be true or false']],
  [{ attachments: null }, ['attachments: must be an array']],
  [{ attachments: {} }, ['attachments: must be an array']],
  [{ attachments: ['https://a.example'] }, ['attachments.0: must be an object']],
  [{ attachments: [{}] }, ['attachments.0.url: is required']],
])('a message with %j: %j', (changes, details) => {
  expect(ofMessage(changes)).toEqual(details)
})

test('many problems are named, but not without end', () => {
  expect(ofMessage({ to: Array.from({ length: 500 }, () => 1) })).toHaveLength(50)
})

test.each([
  'https://a.example/x.png?x=1&y=%20z#f',
  'http://a.example',
  'HTTPS://A.example:8443/@x',
  'https://a.example?x@y',
])('%s is fetched', (url) => {
  expect(ofMessage({ attachments: [{ url }] })).toEqual([])
  expect(ofEmail({ attachments: [{ filename: 'a', path: url }] })).toEqual([])
})

test('what is handed on is the URL as it was understood', () => {
  const read = (url: string) => v.parse(MessageRequest, { ...message, attachments: [{ url }] }).attachments
  expect(read('HTTPS://A.example/a b?"x"')).toEqual([{ url: 'https://a.example/a%20b?%22x%22' }])
  expect(read('https://a.example/1.png?x=1&y=2')).toEqual([{ url: 'https://a.example/1.png?x=1&y=2' }])
})

test.each([
  '',
  'a.png',
  '/a.png',
  '//a.example/a.png',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:image/png;base64,AAAA',
  'ftp://a.example/a.png',
  'blob:https://a.example/x',
  'https:a.example',
  'https:/a.example',
  'https:///a.example',
  'https://',
  'https://user@a.example/',
  'https://user:secret@a.example/',
  'https://:secret@a.example/',
  'https://@a.example/',
  'https://a.example\\@evil.example/',
  'https://evil.example\\.a.example/',
  ' https://a.example/',
  'ht\ntps://a.example/',
  'https://a.example/\r\nX: y',
  'https://a.example/\0',
  'https://a example/',
  'https://a.example:99999/',
  'https://[::1/',
])('%j is not fetched', (url) => {
  const problem = 'must be an absolute http or https URL without user name or password'
  expect(ofMessage({ attachments: [{ url }] })).toEqual([`attachments.0.url: ${problem}`])
  expect(ofEmail({ attachments: [{ filename: 'a', path: url }] })).toEqual([`attachments.0.path: ${problem}`])
})

const controls = ['\r\nBcc: x@evil.example', '\n', '\r', '\t', '\0', '\u007f', '\u0085', '\u009f']

test.each(controls)(
  'the control character in %j is refused wherever a header is made of the text',
  (control) => {
    const problem = 'must not contain control characters'
    expect(ofEmail({ subject: `Hi${control}` })).toEqual([`subject: ${problem}`])
    expect(ofEmail({ attachments: [{ filename: `a${control}.txt`, content: '' }] })).toEqual([
      `attachments.0.filename: ${problem}`,
    ])
    expect(ofEmail({ replyTo: `ada@example.com${control}` })).toEqual([
      'replyTo: must be one bare email address',
    ])
    expect(ofEmail({ from: `Acme${control} <acme@mail.example.com>` })).toHaveLength(1)
    // Texts may have line breaks.
    expect([...ofEmail({ html: `a${control}` }), ...ofMessage({ body: `a${control}` })]).toEqual([])
  },
)

test.each(['/', 'a/b.txt', '../a.txt', 'C:\\a.txt', 'a\\', '/etc/passwd'])(
  'the file name %j is refused, because it is a path',
  (filename) => {
    expect(ofEmail({ attachments: [{ filename, content: '' }] })).toEqual([
      'attachments.0.filename: must be a file name without / and \\',
    ])
  },
)

test.each<[object, readonly string[]]>([
  [{}, []],
  [{ text: 'Plain' }, []],
  [{ text: '' }, []],
  [{ text: 5 }, ['text: must be a string']],
  [{ replyTo: 'office@example.com', from: 'Acme <acme@mail.example.com>' }, []],
  [{ subject: 'Größe 🚗', html: '   ' }, []],
  [{ subject: '' }, ['subject: must not be empty']],
  [{ subject: 'x'.repeat(999) }, ['subject: is too long']],
  [{ html: '' }, ['html: must not be empty']],
  [{ html: undefined, subject: undefined }, ['subject: is required', 'html: is required']],
  [{ from: '' }, ['from: must not be empty']],
  [{ from: null }, ['from: must be a string']],
  [{ from: 'Acme' }, ['from: must be one address, alone or as Name <address>']],
  [{ replyTo: '' }, ['replyTo: must be one bare email address']],
  [{ replyTo: 'office@bücher.example' }, []],
  [{ replyTo: 'öffice@bücher.example' }, ['replyTo: must be one bare email address']],
  [{ replyTo: 'a@bücher.example, b@bücher.example' }, ['replyTo: must be one bare email address']],
  [{ replyTo: 'Ada <ada@example.com>' }, ['replyTo: must be one bare email address']],
  [{ replyTo: 'a@example.com, b@example.com' }, ['replyTo: must be one bare email address']],
  [{ replyTo: ['a@example.com'] }, ['replyTo: must be a string']],
])('an email with %j: %j', (changes, details) => {
  expect(ofEmail(changes)).toEqual(details)
})

test.each<[object, string]>([
  [{ filename: 'a' }, ': must have either path or content'],
  [{ filename: 'a', path: 'https://a.example/', content: 'aGk=' }, ': must have either path or content'],
  [{ content: 'aGk=' }, '.filename: is required'],
  [{ filename: '', content: 'aGk=' }, '.filename: must not be empty'],
  [{ filename: 'x'.repeat(256), content: 'aGk=' }, '.filename: is too long'],
  ...['aGk', 'aGk==', 'a', '=', '====', 'aG k', 'aGk=\n', 'aG=k', 'a-_=', 'data:;base64,aGk=', 'äGk='].map(
    (content): [object, string] => [{ filename: 'a', content }, '.content: must be padded base64'],
  ),
])('the attachment %j%s', (attachment, problem) => {
  expect(ofEmail({ attachments: [attachment] })).toEqual([`attachments.0${problem}`])
})

test('attachments of an email are counted before they are looked at', () => {
  const attachment = { filename: 'a', content: '' }
  expect(ofEmail({ attachments: Array.from({ length: 20 }, () => attachment) })).toEqual([])
  for (const item of [attachment, 0, null, []]) {
    expect(ofEmail({ attachments: Array.from({ length: 21 }, () => item) })).toEqual([
      'attachments: must be at most 20 attachments',
    ])
  }
})

test.each([
  [49, 49],
  [50, 50],
  [51, 50],
  [500, 50],
])('of %i problems %i are told', (wrong, told) => {
  const details = ofMessage({ to: Array.from({ length: wrong }, () => 0) })
  expect(details).toEqual(Array.from({ length: told }, (_, index) => `to.${index}: must be a string`))
})

test('base64 of any size is read', () => {
  for (const content of ['', 'aGk=', 'aA==', 'aGkh', '++//'.repeat(700_000)]) {
    expect(ofEmail({ attachments: [{ filename: 'a', content }] })).toEqual([])
  }
})

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

import { expect, test } from 'vitest'
import { webhookUrlProblem } from './webhook.ts'

const allowed = [
  'https://example.com/hook?x=1',
  'https://example.com.',
  'https://example.com:443/',
  'https://sub.bücher.example/ä',
  'https://8.8.8.8/',
  'https://134744072/',
  'https://100.63.255.255',
  'https://100.128.0.0',
  'https://172.15.255.255',
  'https://172.32.0.1',
  'https://192.167.255.255',
  'https://198.17.255.255',
  'https://198.20.0.0',
  'https://223.255.255.255',
  'https://[2606:4700:4700::1111]/',
  'https://[64:ff9b::8.8.8.8]/',
  'https://[2002:808:808::1]/',
]

const refused = [
  '',
  'example.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'https:example.com',
  'http://example.com/',
  'https://example.com:8443/',
  'https://example.com:80/',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://@example.com/',
  'https://example.com/#',
  'https://example.com/#x',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://foo.localhost',
  'https://printer.local',
  'https://metadata.google.internal/',
  'https://router.home.arpa/',
  'https://intranet/',
  'https://intranet./',
  // IPv4 in any spelling.
  ...[
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '017700000001',
    '①②⑦.0.0.1',
  ].map((host) => `https://${host}/`),
  ...['%31%32%37.0.0.1', '127。0。0。1', '127.0.0.1.', '0', '0.0.0.0', '255.255.255.255'].map(
    (host) => `https://${host}/`,
  ),
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254', '0xa9fea9fe'].map(
    (host) => `https://${host}/`,
  ),
  ...['100.64.0.0', '100.127.255.255', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255'].map(
    (host) => `https://${host}/`,
  ),
  ...['198.51.100.7', '203.0.113.7', '192.88.99.1', '224.0.0.1', '239.1.1.1', '240.0.0.1'].map(
    (host) => `https://${host}/`,
  ),
  // IPv6, alone and with IPv4 in it.
  ...[
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.1',
  ].map((host) => `https://[${host}]/`),
  ...['fe80::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '100::1', '5f00::1', '2001:db8::1'].map(
    (host) => `https://[${host}]/`,
  ),
  ...['2001::1', '2001:1ff::1', '3fff::1', '3fff:fff::1', '64:ff9b::10.0.0.1', '64:ff9b::7f00:1'].map(
    (host) => `https://[${host}]/`,
  ),
  ...['64:ff9b:1::8.8.8.8', '2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::'].map(
    (host) => `https://[${host}]/`,
  ),
  `https://example.com/${'x'.repeat(2_000)}`,
]

test.each(allowed)('%s is allowed, on a local start too', (url) => {
  expect([webhookUrlProblem(url, false), webhookUrlProblem(url, true)]).toEqual([null, null])
})

test.each(refused)('%s is refused, on a local start too', (url) => {
  expect([webhookUrlProblem(url, false), webhookUrlProblem(url, true)]).toEqual([
    expect.stringMatching(/^must /),
    expect.stringMatching(/^must /),
  ])
})

test.each(['http://127.0.0.1/', 'http://localhost:8080/x', 'http://127.9.9.9:8443', 'http://127.1:1024/'])(
  '%s is allowed on a local start alone',
  (url) => {
    expect([webhookUrlProblem(url, false), webhookUrlProblem(url, true)]).toEqual([
      expect.stringMatching(/^must /),
      null,
    ])
  },
)

test.each([
  'http://127.0.0.1:22/',
  'http://localhost:443/',
  'http://localhost:1023/',
  'http://10.0.0.1:8080/',
  'http://[::1]:8080/',
  'https://127.0.0.1:8443/',
  'http://user@localhost:8080/',
  'http://localhost.:8080/',
])('%s is refused on a local start too', (url) => {
  expect(webhookUrlProblem(url, true)).toMatch(/^must /)
})

test('every IPv4 network that is refused is refused to its last address, and its neighbours are not', () => {
  const text = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
  const special: readonly (readonly [number, number])[] = [
    [0x0a000000, 8],
    [0x64400000, 10],
    [0x7f000000, 8],
    [0xa9fe0000, 16],
    [0xac100000, 12],
    [0xc0a80000, 16],
    [0xc6120000, 15],
  ]
  for (const [network, length] of special) {
    const last = network + 2 ** (32 - length) - 1
    for (const [value, isRefused] of [
      [network - 1, false],
      [network, true],
      [last, true],
      [last + 1, false],
    ] as const) {
      expect([text(value), webhookUrlProblem(`https://${text(value)}/`, false) !== null]).toEqual([
        text(value),
        isRefused,
      ])
    }
  }
})

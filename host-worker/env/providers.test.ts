import { expect, test, vi } from 'vitest'
import { LOCAL_PROVIDERS, readProviders } from './index.ts'

const mail = { MAIL_DOMAIN: 'mail.example.com', PLATFORM_BRAND: 'Brand' }
const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret-1', TWILIO_SHORTCODE: '12345' }
const qstash = {
  QSTASH_TOKEN: 'secret-2',
  QSTASH_CURRENT_SIGNING_KEY: 'secret-3',
  QSTASH_NEXT_SIGNING_KEY: 'secret-4',
  QSTASH_CALLBACK_URL: 'https://service.example/qstash',
}
const SIGNING_SECRET = `whsec_${btoa('a secret of Resend')}`
const clickHouse = {
  CLICKHOUSE_URL: 'https://analytics.example:8443',
  CLICKHOUSE_USER: 'reader',
  CLICKHOUSE_PASSWORD: 'secret-5',
}
const JOBS = { sendBatch: () => undefined }
const local = { [LOCAL_PROVIDERS]: { email: { send: vi.fn() }, sms: { send: vi.fn() } } }

function read(bindings: Readonly<Record<string, unknown>>) {
  const problems: string[] = []
  return { settings: readProviders(bindings, problems), problems }
}

test('without any configuration there is no provider, and nothing is wrong', () => {
  const nobody = {
    mail: null,
    email: null,
    sms: null,
    queue: null,
    clickHouse: null,
    links: null,
  }
  expect(read({})).toEqual({ settings: nobody, problems: [] })
  expect(read(mail)).toEqual({ settings: nobody, problems: [] })
})

test('with all of it, all are there; QStash goes before the binding, providers before those of a local start', () => {
  const { settings, problems } = read({
    ...mail,
    ...twilio,
    ...qstash,
    ...clickHouse,
    JOBS,
    RESEND_API_KEY: 're',
    RESEND_WEBHOOK_SECRET: SIGNING_SECRET,
    ...local,
  })
  expect(problems).toEqual([])
  expect([settings.email?.kind, settings.sms?.kind, settings.queue?.kind]).toEqual([
    'resend',
    'twilio',
    'qstash',
  ])
  expect(settings.mail).toEqual({ domain: 'mail.example.com', brand: 'Brand' })
  expect(settings.email).toMatchObject({ apiKey: 're', webhookSecret: SIGNING_SECRET })
  expect(settings.clickHouse).toEqual({
    baseUrl: 'https://analytics.example:8443',
    user: 'reader',
    password: 'secret-5',
    database: 'default',
    table: 'exit_survey_events',
  })
})

test.each(['http://127.0.0.1:8123', 'http://localhost:8123/', 'https://analytics.example/'])(
  'ClickHouse may be at %s',
  (url) => {
    const { settings, problems } = read({ ...clickHouse, CLICKHOUSE_URL: url, CLICKHOUSE_TABLE: 'events_2' })
    expect(problems).toEqual([])
    expect(settings.clickHouse).toMatchObject({ baseUrl: url.replace(/\/$/, ''), table: 'events_2' })
  },
)

test('what a local start passes takes the place of providers, and no configuration can', () => {
  const { settings, problems } = read({ ...mail, JOBS, ...local })
  expect([settings.email?.kind, settings.sms?.kind, settings.queue?.kind]).toEqual([
    'local',
    'local',
    'cloudflare',
  ])
  expect(problems).toEqual([])
  const { description = '' } = LOCAL_PROVIDERS
  const named = { ...mail, [description]: local[LOCAL_PROVIDERS], LOCAL_MAILBOX: '1' }
  expect(read(named).settings).toMatchObject({ email: null, sms: null })
})

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ RESEND_API_KEY: 'secret-0' }, 'MAIL_DOMAIN'],
  [{ RESEND_API_KEY: 'secret-0', ...mail, MAIL_DOMAIN: 'https://x' }, 'MAIL_DOMAIN'],
  [{ RESEND_API_KEY: 'secret-0', ...mail, PLATFORM_BRAND: 'a\nb' }, 'PLATFORM_BRAND'],
  [{ RESEND_API_KEY: 'secret-0', ...mail, RESEND_API_URL: 'http://example.com' }, 'RESEND_API_URL'],
  [{ ...mail, RESEND_WEBHOOK_SECRET: SIGNING_SECRET }, 'RESEND_API_KEY'],
  ...[
    'secret-1',
    'whsec_',
    `${SIGNING_SECRET}=`,
    `x${SIGNING_SECRET}`,
    `${SIGNING_SECRET}\n`,
    'whsec_c2VjcmV0',
  ].map((secret): [Readonly<Record<string, unknown>>, string] => [
    { RESEND_API_KEY: 're', ...mail, RESEND_WEBHOOK_SECRET: secret },
    'RESEND_WEBHOOK_SECRET',
  ]),
  [{ ...twilio, TWILIO_AUTH_TOKEN: '' }, 'TWILIO_AUTH_TOKEN'],
  [{ ...twilio, TWILIO_ACCOUNT_SID: '' }, 'TWILIO_ACCOUNT_SID'],
  [{ ...twilio, TWILIO_SHORTCODE: '' }, 'TWILIO_SHORTCODE'],
  [{ ...twilio, TWILIO_MESSAGING_SERVICE_SID: 'MG1' }, 'TWILIO_SHORTCODE'],
  ...(Object.keys(qstash).map((name): [object, string] => [{ ...qstash, [name]: '' }, name]) as [
    typeof qstash,
    string,
  ][]),
  [{ ...qstash, QSTASH_DEV: 'true' }, 'QSTASH_DEV'],
  [{ QSTASH_DEV: '1' }, 'QSTASH_DEV'],
  [{ ...qstash, QSTASH_CALLBACK_URL: 'http://service.example/qstash' }, 'QSTASH_CALLBACK_URL'],
  [{ ...qstash, QSTASH_CALLBACK_URL: 'https://service.example/qstash?x=1' }, 'QSTASH_CALLBACK_URL'],
  [{ ...qstash, QSTASH_CALLBACK_URL: 'https://service.example/api/qstash' }, 'QSTASH_CALLBACK_URL'],
  ...(Object.keys(clickHouse).map((name): [object, string] => [{ ...clickHouse, [name]: '' }, name]) as [
    typeof clickHouse,
    string,
  ][]),
  [{ CLICKHOUSE_TABLE: 'events' }, 'CLICKHOUSE_URL'],
  [{ ...clickHouse, CLICKHOUSE_TABLE: 'a; drop' }, 'CLICKHOUSE_TABLE'],
  [{ ...clickHouse, CLICKHOUSE_DATABASE: 'a.b' }, 'CLICKHOUSE_DATABASE'],
  [{ ...clickHouse, CLICKHOUSE_URL: 'http://analytics.example' }, 'CLICKHOUSE_URL'],
  [{ ...clickHouse, CLICKHOUSE_URL: 'https://analytics.example/path' }, 'CLICKHOUSE_URL'],
  [{ ...clickHouse, CLICKHOUSE_URL: 'https://u:secret-6@analytics.example' }, 'CLICKHOUSE_URL'],
  [{ ...clickHouse, CLICKHOUSE_URL: 'analytics' }, 'CLICKHOUSE_URL'],
  [{ JOBS: {} }, 'JOBS'],
  [{ RESEND_API_KEY: 5 }, 'RESEND_API_KEY'],
])('%j is half a configuration: %s is named, no value is', (bindings, name) => {
  const { problems } = read(bindings)
  expect(problems.join()).toContain(name)
  expect(problems.join()).not.toContain('secret')
})

test('links come from Dub when there is a key, from another host when one is named', () => {
  expect(read({ DUB_API_KEY: 'dub' })).toMatchObject({
    settings: { links: { apiKey: 'dub', baseUrl: 'https://api.dub.co' } },
    problems: [],
  })
  const stand = { DUB_API_KEY: 'dub', DUB_API_URL: 'http://127.0.0.1:9/' }
  expect(read(stand)).toMatchObject({ settings: { links: { baseUrl: 'http://127.0.0.1:9' } }, problems: [] })
  expect(read({ DUB_API_URL: 'https://elsewhere.example' }).settings.links).toBeNull()
  for (const url of ['http://elsewhere.example', 'nonsense', 7])
    expect(read({ DUB_API_KEY: 'dub', DUB_API_URL: url }).problems).toHaveLength(1)
})

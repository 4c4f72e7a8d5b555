import { HtmlValidate } from 'html-validate'
import { describe, expect, it, test } from 'vitest'
import type { StoredForm } from '../../ports/records.ts'
import { openSecrets } from '../access/secrets.ts'
import { systemPorts, systemRandom } from '../../host-worker/system.ts'
import { createFetchHandler } from '../../host-worker/http/fetch-handler.ts'
import { definitionOf, directoryOf, fieldOf } from '../../test/support/data/forms/forms.ts'
import { testRootSecret } from '../../test/support/runner/fakes.ts'
import { hashFormPassword } from './password.ts'
import { formPageApi } from './page-api.ts'
import { createFormCache, type SubmissionWorld } from './submit.ts'

const name = fieldOf('full-name', 'short_text', { label: 'Your <name>', required: true })
const secrets = await openSecrets(testRootSecret(), null)
const passwordHash = await hashFormPassword('open sesame', secrets, systemRandom)
const errors: unknown[] = []
const background = { run: () => undefined }

/** Asks for a page of the one form there is; null: there is none. */
async function ask(stored: Partial<StoredForm> | null, path = '/f/contact-us', init: RequestInit = {}) {
  const usual = { definition: definitionOf([name]), organizationName: 'Bubble & Shine' }
  const { forms, reads } = directoryOf(stored === null ? null : { ...usual, ...stored })
  const log = { info: () => undefined, error: (...told: unknown[]) => void errors.push(told) }
  const handle = createFetchHandler<SubmissionWorld & { log: typeof log }>(formPageApi)
  const answers: unknown[] = []
  const host = {
    requestId: 'req_1',
    world: { ...systemPorts, forms, formCache: createFormCache(), secrets, background, queue: null, log },
    answered: ({ organizationId }: { organizationId: string | null }) => answers.push(organizationId),
  }
  const response = await handle(new Request(`https://api.example${path}`, init), host)
  const text = await response.text()
  return {
    response,
    text,
    reads: reads(),
    told: answers,
    header: (called: string) => response.headers.get(called),
  }
}

const open = (password: string | null, stored: Partial<StoredForm> = { passwordHash }) =>
  ask(stored, '/f/contact-us/open', {
    method: 'POST',
    body: new URLSearchParams({ _gotcha: '', ...(password === null ? {} : { _password: password }) }),
  })

it('is the form in the name of the organization, kept for a minute, by one look-up', async () => {
  const { response, text, reads, told, header } = await ask({})
  expect([response.status, reads, told]).toEqual([200, 1, ['org']])
  expect(header('cache-control')).toBe('public, max-age=60')
  expect(text).toContain('Bubble &amp; Shine</p>')
  expect(text).toContain('<title>Contact us – Bubble &amp; Shine</title>')
  expect(text).toContain('Your &lt;name&gt;')
  expect(text).toContain('action="/api/forms/contact-us/submissions"')
  expect(text).not.toMatch(/https?:/)
})

it('allows its own style sheet, its own scripts and its own host, and may not be framed', async () => {
  const { text, header } = await ask({})
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? []
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)))
  expect(header('content-security-policy')?.split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${btoa(String.fromCharCode(...digest))}'`,
    "base-uri 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
})

describe('with a password', () => {
  it('asks for it first, and shows nothing of the fields', async () => {
    const { response, text, header } = await ask({ passwordHash })
    expect([response.status, header('cache-control')]).toEqual([200, 'public, max-age=60'])
    expect(text).toContain('name="_password" type="password"')
    expect(text).toContain('action="/f/contact-us/open"')
    expect(text).not.toMatch(/full-name|Your &lt;name&gt;|<script/)
  })

  it('shows the form for the right one, which is kept nowhere but in the form', async () => {
    const { response, text, header } = await open('open sesame')
    expect([response.status, header('cache-control')]).toEqual([200, 'no-store'])
    expect(text).toContain('<input name="_password" type="hidden" value="open sesame">')
    expect(text).toContain('name="full-name"')
  })

  test.each(['', 'Open sesame', 'x'.repeat(1025), null])('asks again for another: %s', async (password) => {
    const { response, text, header } = await open(password)
    expect([response.status, header('cache-control')]).toEqual([401, 'no-store'])
    expect(text).toContain('role="alert"')
    expect(text).not.toContain('full-name')
  })

  it('takes no body that is none, and no password twice', async () => {
    const post = (body: BodyInit, type?: string) => {
      const headers = type === undefined ? {} : { 'content-type': type }
      return ask({ passwordHash }, '/f/contact-us/open', { method: 'POST', body, headers })
    }
    const twice = new URLSearchParams([
      ['_password', 'open sesame'],
      ['_password', 'open sesame'],
    ])
    const tries = [post(twice), post('{', 'application/json'), post('{"_password":1}', 'application/json')]
    tries.push(post(new Uint8Array(70_000)), post('_password=open+sesame', 'text/plain'))
    for (const { response, text } of await Promise.all(tries)) {
      expect(response.status).toBe(401)
      expect(text).not.toContain('full-name')
    }
  })

  it('leads back to its page who asks for the opened form by its address, and who opens a form without', async () => {
    const again = await ask({ passwordHash }, '/f/contact-us/open')
    const without = await open('x', {})
    for (const { response, header } of [again, without])
      expect([response.status, header('location')]).toEqual([303, '/f/contact-us'])
    expect((await ask({}, '/f/a%2Fb/open')).response.status).toBe(404)
  })
})

describe('is a page that says 404, and is not kept, for', () => {
  test.each([
    ['an unknown form', null, 1],
    ['an unpublished form', { isPublished: false }, 1],
    ['an unpublished form with a password', { isPublished: false, passwordHash }, 1],
  ])('%s', async (_name, stored, looked) => {
    for (const asked of [
      await ask(stored),
      ...(stored === null ? [] : [await open('open sesame', stored)]),
    ]) {
      expect([asked.response.status, asked.reads, asked.told]).toEqual([404, looked, [null]])
      expect(asked.header('cache-control')).toBe('no-store')
      expect(asked.header('content-type')).toBe('text/html; charset=utf-8')
      expect(asked.text).not.toMatch(/full-name|Bubble|Contact us/)
    }
  })

  test.each(['/f/', '/f/%00', '/f/a%2Fb', '/f/contact-us/x', `/f/${'a'.repeat(201)}`])(
    'what cannot be one, without a look-up: %s',
    async (path) => {
      const { response, reads, header } = await ask({}, path)
      expect([response.status, reads, header('content-type')]).toEqual([404, 0, 'text/html; charset=utf-8'])
    },
  )
})

describe('of a form that must be hosted, it says so', () => {
  const hosted = (publicUrl: string | null) =>
    ask({ definition: definitionOf([name, fieldOf('a', 'signature')], { publicUrl }) })

  it('and leads to where that is', async () => {
    const { response, text } = await hosted('https://forms.example/x?a=1&b=2')
    expect(response.status).toBe(409)
    expect(text).toContain('href="https://forms.example/x?a=1&amp;b=2"')
    expect(text).not.toContain('full-name')
  })

  it('also where another host has the same path', async () => {
    const { text } = await hosted('https://forms.example/f/contact-us')
    expect(text).toContain('href="https://forms.example/f/contact-us"')
  })

  test.each([null, 'https://api.example/f/contact-us', 'javascript:alert(1)'])(
    'and to nowhere else: %s',
    async (publicUrl) => {
      expect((await hosted(publicUrl)).text).not.toContain('href=')
    },
  )
})

it('knows its methods only', async () => {
  for (const method of ['PATCH', 'PUT', 'DELETE'])
    for (const [path, allowed] of [
      ['/f/contact-us', 'GET, HEAD, POST, OPTIONS'],
      ['/f/contact-us/open', 'POST, GET, HEAD'],
    ] as const) {
      const { response, reads, header } = await ask({}, path, { method })
      expect([response.status, header('allow'), reads]).toEqual([405, allowed, 0])
      expect(header('content-type')).toBe('text/html; charset=utf-8')
    }
  const head = await ask({}, undefined, { method: 'HEAD' })
  expect([head.response.status, head.text, head.header('cache-control')]).toEqual([
    200,
    '',
    'public, max-age=60',
  ])
})

it('is valid HTML, whatever it says', async () => {
  const checker = new HtmlValidate({
    extends: ['html-validate:standard', 'html-validate:a11y'],
    rules: { 'require-sri': 'off' },
  })
  const pages = [ask({}), ask({ passwordHash }), open('wrong'), open('open sesame')]
  for (const { text } of await Promise.all(pages)) {
    const { results } = await checker.validateString(text)
    expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([])
  }
  expect(errors).toEqual([])
})

describe('what is posted to its address', () => {
  const post = (body: string, type = 'application/json', path = '/f/contact-us') =>
    ask({}, path, { method: 'POST', body, headers: { 'content-type': type, accept: 'application/json' } })

  it('is refused in words that any page may read', async () => {
    for (const [sent, status, code] of [
      [post('{}'), 422, 'validation_error'],
      [post('{"full-name":"Ada","x":""}'), 422, 'validation_error'],
      [post('<'), 400, 'invalid_body'],
      [post('{}', 'text/plain'), 415, 'unsupported_media_type'],
      [post('{}', undefined, '/f/another'), 404, 'form_not_found'],
      [post('{}', undefined, '/f/a.b'), 404, 'form_not_found'],
    ] as const) {
      const { response, text, header } = await sent
      expect([response.status, JSON.parse(text)]).toMatchObject([status, { ok: false, code }])
      expect(header('access-control-allow-origin')).toBe('*')
    }
    expect(errors).toEqual([])
  })

  it('has an unknown outcome when it fails', async () => {
    const { response, text, header } = await post('{"full-name":"Ada"}')
    expect([response.status, text]).toEqual([500, expect.stringContaining('may or may not have been saved')])
    expect(header('access-control-allow-origin')).toBe('*')
    expect(errors.splice(0)).toHaveLength(1)
  })

  it('may come from any page', async () => {
    const { response, text, header } = await ask({}, undefined, { method: 'OPTIONS' })
    expect([response.status, text, header('access-control-allow-methods')]).toEqual([
      204,
      '',
      'POST, OPTIONS',
    ])
    expect(header('access-control-allow-origin')).toBe('*')
  })
})

describe('in another language', () => {
  const settings = { language: 'de', texts: { send: 'Termin anfragen', continue: 'Öffnen' } } as const
  const definition = definitionOf([name, fieldOf('count', 'number')], settings)

  it('says its own words in it, and those of the form', async () => {
    const { text } = await ask({ definition })
    for (const part of [
      '<html lang="de">',
      '(freiwillig)',
      'title="Eine Zahl, zum Beispiel 1,5"',
      '>Termin anfragen<',
    ])
      expect(text).toContain(part)
  })

  it('asks for the password in it', async () => {
    expect((await ask({ definition, passwordHash })).text).toContain('Dieses Formular braucht ein Passwort.')
    const wrong = await open('wrong', { definition, passwordHash })
    expect([wrong.response.status, wrong.text]).toEqual([
      401,
      expect.stringContaining('Das Passwort ist falsch.'),
    ])
    expect(wrong.text).toContain('>Öffnen<')
    expect(wrong.text).not.toContain('full-name')
  })
})

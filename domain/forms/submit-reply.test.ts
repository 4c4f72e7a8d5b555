import { describe, expect, it } from 'vitest'
import type { Reply } from '../record/reply.ts'
import { contentTypeOf } from '../text/http.ts'
import { utf8 } from '../text/encoding.ts'
import { failedReply, submissionReply, wantsPage } from './submit.ts'
import {
  failureCodes,
  failureStatus,
  refused,
  refusedFields,
  type RefusalCode,
  type Saved,
  type SubmissionResult,
} from './result.ts'

const saved: Saved = {
  kind: 'saved',
  submissionId: 'sub_1',
  title: 'T',
  message: 'M',
  redirectUrl: null,
  voice: null,
}
const hostile = `"><script>alert('1')</script><img src=x onerror=alert(1)>`

function request(headers: Record<string, string> = {}): Request {
  return new Request('https://service.example/', {
    method: 'POST',
    body: 'a=b',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

function replyTo(request: Request, result: SubmissionResult): Promise<Reply> {
  return submissionReply(request, contentTypeOf(request.headers), result)
}

async function page(result: SubmissionResult, headers: Record<string, string> = {}): Promise<string> {
  const reply = await replyTo(request(headers), result)
  await expectPage(reply)
  expect(reply.status).toBe('status' in result ? result.status : 200)
  return reply.body ?? ''
}

/** Checks what is true of every page. */
async function expectPage({ headers, body }: Reply): Promise<void> {
  const markup = body ?? ''
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['cache-control']).toBe('no-store')
  const style = /<style>([^]*?)<\/style>/.exec(markup)?.[1] ?? ''
  const digest = await crypto.subtle.digest('SHA-256', utf8(style))
  const hash = Buffer.from(digest).toString('base64')
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(markup).toMatch(/^<!doctype html>\s*<html lang="(?:en|fr)">/)
  expect(markup.match(/<h1/g)).toHaveLength(1)
  expect(markup.match(/<main/g)).toHaveLength(1)
  expect(markup).toMatch(/<title>[^<]+<\/title>/)
  expect(markup).not.toMatch(/<(script|img|link|form|iframe|object)|style="|javascript:|<[^>]*\son\w+=/i)
}

it('of a page in another encoding says to the visitor that its owner can mend it', async () => {
  const headers = { origin: 'https://wash.example' }
  const refusal = { ...refused('invalid_body', 'Not in UTF-8.'), isOfPage: true }
  const markup = await page(refusal, headers)
  expect(markup).toContain('Not in UTF-8.')
  expect(markup.replaceAll(/\s+/g, ' ')).toContain('Please tell the owner of wash.example')
  expect(markup).not.toContain('Correct it')
  expect(await page(refused('invalid_body', 'Not complete.'), headers)).toContain('Correct it')
})

describe('a saved submission', () => {
  it('shows the configured title and message, never the receipt', async () => {
    const markup = await page({ ...saved, title: 'Claim received', message: 'Line 1\nLine 2' })
    expect(markup).toContain('<h1 dir="auto">Claim received</h1>')
    expect(markup).toContain('Line 1\nLine 2')
    expect(markup).not.toContain('sub_1')
  })

  it('with a redirect goes there and has no body', async () => {
    const reply = await replyTo(request(), { ...saved, redirectUrl: 'https://a.example/x' })
    expect([reply.status, reply.headers.location, reply.body]).toEqual([303, 'https://a.example/x', null])
    expect(reply.headers['access-control-allow-origin']).toBe('*')
  })

  it('of a JSON client is the receipt', async () => {
    const reply = await replyTo(request({ accept: 'application/json' }), saved)
    expect(JSON.parse(reply.body ?? '')).toMatchObject({ ok: true, submissionId: 'sub_1' })
  })

  it('looks like a filled bot trap', async () => {
    const trapped = await page({ kind: 'honeypot', title: 'Thank you', message: 'M', voice: null })
    expect(await page({ ...saved, title: 'Thank you' })).toBe(trapped)
  })
})

describe('failures', () => {
  const refusals = failureCodes.filter((code): code is RefusalCode => code !== 'method_not_allowed')

  it.each(refusals)('%s has a page of the same status', async (code) => {
    const result = refused(code, 'What went wrong.')
    expect((await replyTo(request(), result)).status).toBe(failureStatus[code])
    expect(await page(result)).toContain('What went wrong.')
  })

  it('names fields by label, or by id where the label is blank', async () => {
    const errors = new Map([
      ['email', 'Enter an address.'],
      ['blank', 'Required.'],
    ])
    const fields = new Map([
      ['email', { label: 'Your email' }],
      ['blank', { label: ' ' }],
      ['other', { label: 'Unrelated' }],
    ])
    const markup = await page(refusedFields('E.', errors, fields))
    expect(markup).toContain('2 answers need another look')
    expect(markup).toContain('<strong dir="auto">Your email</strong> <span>Enter an address.</span>')
    expect(markup).toContain('<strong dir="auto">blank</strong>')
    expect(markup).not.toContain('Unrelated')
    expect(markup).toContain('Back button')
  })

  it('that no visitor can correct speak of the owner', async () => {
    const markup = await page(
      refusedFields('E.', new Map([['_gotcha', 'This key is required; send it empty.']])),
    )
    expect(markup).toContain('This form is not set up correctly')
    expect(markup).toContain('<code>_gotcha</code>')
  })

  it('of many keys stay readable', async () => {
    const keys = Array.from(
      { length: 5000 },
      (_, index) => [`k${index}`, 'This form has no such field.'] as const,
    )
    const markup = await page(refusedFields('E.', new Map(keys)))
    expect(markup).toContain('and 4970 more')
    expect(markup.length).toBeLessThan(20_000)
  })

  it.each([
    [20, 30, 50, null],
    [20, 31, 50, 'and 1 more'],
    [30, 20, 50, null],
    [30, 21, 50, 'and 1 more'],
    [31, 19, 49, 'and 1 more'],
  ])('of %i fields and %i other keys list %i problems', async (fields, others, listed, rest) => {
    const ids = Array.from({ length: fields }, (_, index) => `f${index}`)
    const keys = [...ids, ...Array.from({ length: others }, (_, index) => `k${index}`)]
    const labels = new Map(ids.map((id) => [id, { label: id }]))
    const markup = await page(refusedFields('E.', new Map(keys.map((key) => [key, 'E'])), labels))
    expect(markup.split('<li><strong').length - 1).toBe(listed)
    expect(/and \d+ more/.exec(markup)?.[0] ?? null).toBe(rest)
  })

  it('lead to the hosted form where there is one', async () => {
    const result = refused('hosted_form_required', 'E')
    expect(await page({ ...result, hostedUrl: 'https://forms.example/x' })).toContain(
      'href="https://forms.example/x"',
    )
    for (const hostedUrl of ['javascript:alert(1)', '/x', 'data:text/html,x'])
      expect(await page({ ...result, hostedUrl })).not.toContain('Open the form')
  })

  it('of the service itself keep their headers', async () => {
    const reply = await failedReply(request(), 'method_not_allowed', 'E', { allow: 'POST' })
    await expectPage(reply)
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST'])
    const failure = await failedReply(request(), 'internal_error', 'Request id: r1')
    await expectPage(failure)
    expect(failure.body).toContain('Request id: r1')
    expect(failure.body).toMatch(/before you send them\s+again/)
    const json = await failedReply(request({ accept: '*/*' }), 'internal_error', 'E')
    expect(JSON.parse(json.body)).toEqual({ ok: false, code: 'internal_error', error: 'E' })
  })
})

it('nothing that others wrote becomes markup', async () => {
  const fields = new Map([['a', { label: hostile }]])
  const errors = new Map([
    ['a', hostile],
    [hostile, hostile],
  ])
  for (const result of [
    { ...saved, title: hostile, message: hostile },
    { kind: 'honeypot', title: 'Thank you', message: hostile, voice: null } as const,
    refused('invalid_body', hostile),
    refusedFields('E.', errors, fields),
    { ...refused('hosted_form_required', hostile), hostedUrl: `https://x.example/${hostile}` },
  ]) {
    await page(result, { referer: `https://x.example/${hostile}`, origin: 'https://x.example' })
  }
})

describe('the way back', () => {
  const wrong = refusedFields('E.', new Map([['a', 'E']]), new Map([['a', { label: 'A' }]]))

  it.each<[Record<string, string>, string | null]>([
    [{ origin: 'https://a.example' }, 'https://a.example/'],
    [{ origin: 'https://a.example', referer: 'https://a.example/form?x=1#y' }, 'https://a.example/form?x=1'],
    [{ referer: 'http://a.example:8080/form' }, 'http://a.example:8080/form'],
    [{ origin: 'https://a.example', referer: 'https://b.example/form' }, 'https://a.example/'],
    [{ origin: 'null', referer: 'https://a.example/form' }, 'https://a.example/form'],
    [{ origin: 'null' }, null],
    [{}, null],
    [{ referer: 'javascript:alert(1)' }, null],
    [{ referer: 'https://user:pw@a.example/' }, null],
    [{ referer: 'data:text/html,x' }, null],
    [{ referer: `https://a.example/${'x'.repeat(2000)}` }, null],
    [{ referer: 'not a url' }, null],
  ])('%j', async (headers, href) => {
    const markup = await page(wrong, headers)
    expect(/<a href="([^"]*)"/.exec(markup)?.[1] ?? null).toBe(href)
  })

  it('after success is the start page of the site', async () => {
    expect(await page(saved, { referer: 'https://a.example/form' })).toContain('href="https://a.example/"')
  })

  it('of a form on its own page is that page, and not the service around it', async () => {
    const referer = 'https://service.example/f/contact'
    for (const result of [saved, wrong])
      expect(await page(result, { origin: 'https://service.example', referer })).toContain(
        `href="${referer}"`,
      )
    const elsewhere = await page(saved, { referer: 'https://other.example/f/contact' })
    expect(elsewhere).toContain('href="https://other.example/"')
  })
})

const form = 'application/x-www-form-urlencoded'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

it.each<[string | null, string | null, boolean]>([
  [form, browser, true],
  ['multipart/form-data; boundary=b', browser, true],
  [form, 'text/html', true],
  [form, 'text/html, application/json;q=0', true],
  [null, browser, true],
  // The type is not understood, so it does not count as JSON.
  ['text/plain', browser, true],
  ['application/ld+json', browser, true],
  ['application/json; a=1; a=2', browser, true],
  ['application/json', browser, false],
  ['Application/JSON; charset=utf-8', browser, false],
  // JSON with a charset that is refused still counts as JSON.
  ['application/json; charset=latin1', browser, false],
  [form, 'text/html, application/json', false],
  [form, 'application/json;q=0.1, text/html', false],
  [form, '*/*', false],
  [form, 'text/*', false],
  [form, null, false],
])('content type %s, accept %s: %s', (type, accept, expected) => {
  const headers = new Headers()
  if (type !== null) headers.set('content-type', type)
  if (accept !== null) headers.set('accept', accept)
  expect(wantsPage(contentTypeOf(headers), headers)).toBe(expected)
})

it('the pages of a form in French are in French', async () => {
  const voice = { language: 'fr', texts: { goBack: 'Revenez.' } } as const
  const wrong = refusedFields('E.', new Map([['a', 'E']]), new Map([['a', { label: 'A' }]]))
  const back = { referer: 'https://a.example/form' }
  const failed = await page({ ...wrong, voice }, back)
  for (const part of [
    '<html lang="fr">',
    'Erreur : Veuillez vérifier vos réponses',
    'Rien n’est encore enregistré. Une réponse est à revoir :',
    '<p>Revenez.</p>',
    'Ou recommencez sur a.example',
  ])
    expect(failed).toContain(part)
  expect(await page({ ...saved, voice }, back)).toContain('Retour à a.example')
  const tooLarge = await page({ ...refused('body_too_large', 'E'), voice })
  expect(tooLarge).toContain('Erreur : C’est plus que ce formulaire ne peut recevoir')
  expect(await page(refused('body_too_large', 'E'))).toContain('Error: That is more than this form can take')
})

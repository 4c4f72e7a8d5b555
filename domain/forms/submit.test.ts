import { beforeAll, describe, expect, it } from 'vitest'
import type {
  FormDefinition,
  FormDirectory,
  StoredForm,
  NewSubmission,
  SaveSubmissionOutcome,
} from '../../ports/records.ts'
import type { Secrets } from '../access/secrets.ts'
import { fakeClock, fakeRandom, testSecrets } from '../../test/support/runner/fakes.ts'
import { definitionOf, fieldOf } from '../../test/support/data/forms/forms.ts'
import { contentTypeOf } from '../text/http.ts'
import type { Posted } from './body.ts'
import { createFormCache, submitForm, loadForm } from './submit.ts'
import { hashFormPassword } from './password.ts'
import type { SubmissionResult } from './result.ts'

let secrets: Secrets
let passwordHash: string
beforeAll(async () => {
  secrets = await testSecrets()
  passwordHash = await hashFormPassword('hunter2', secrets, fakeRandom())
})

const name = fieldOf('name', 'short_text', { required: true, contactField: 'firstName' })
const mail = fieldOf('mail', 'email', { required: true, contactField: 'email' })
const phone = fieldOf('phone', 'phone', { required: true, contactField: 'phone' })
const good = { _gotcha: '', name: 'Ada' }

function storedForm(
  fields: readonly unknown[],
  settings: Partial<FormDefinition & StoredForm> = {},
): StoredForm {
  const { passwordHash = null, version = 1, phoneCountry = 'US', organizationId = 'org', ...rest } = settings
  const definition = definitionOf(fields, rest)
  const { formId, isPublished } = definition
  const organizationName = 'Lakeside'
  return {
    organizationId,
    formId,
    version,
    isPublished,
    definition,
    passwordHash,
    phoneCountry,
    organizationName,
  }
}

/** A world with one form, which the test may change, and a record of every storage call. */
function world(initial: StoredForm | null) {
  const calls: string[] = []
  const saved: NewSubmission[] = []
  const clock = fakeClock()
  const state = {
    form: initial,
    /** Runs before a save is judged, as a concurrent import would. */
    beforeSave: (): void => undefined,
    outcome: { kind: 'saved', contactId: null, outboxIds: [] } as SaveSubmissionOutcome,
  }
  const save = async (submission: NewSubmission): Promise<SaveSubmissionOutcome> => {
    calls.push('save')
    state.beforeSave()
    const { form } = state
    if (form?.isPublished !== true || form.version !== submission.formVersion) return { kind: 'stale' }
    if (state.outcome.kind === 'saved') saved.push(submission)
    return state.outcome
  }
  const forms: FormDirectory = {
    find: async () => {
      calls.push('find')
      return state.form
    },
    submissionsOf: () => ({
      saveSubmission: save,
      replacePasswordHash: () => expect.unreachable(),
    }),
  }
  const deps = {
    forms,
    formCache: createFormCache(),
    secrets,
    clock,
    random: fakeRandom(),
    deadline: { after: () => new AbortController().signal },
    background: { run: () => undefined },
    queue: null,
  }
  const send = (body: unknown, headers: Readonly<Record<string, string>> = {}, formId = 'contact-us') =>
    submitForm(formId, posted(request(body, headers)), deps, () => undefined)
  /** Submits once, so that the form is cached, and clears the record of calls. */
  const warm = async (body: unknown = good): Promise<void> => {
    await send(body)
    calls.length = 0
    saved.length = 0
  }
  return { calls, saved, clock, state, send, warm }
}

function posted(sent: Request): Posted {
  return { request: sent, contentType: contentTypeOf(sent.headers) }
}

function request(body: unknown, headers: Readonly<Record<string, string>>): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const init = { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } }
  return new Request('https://service.example/', init)
}

const codeOf = (result: SubmissionResult): string => (result.kind === 'refused' ? result.code : result.kind)

describe('a verdict', () => {
  const message = fieldOf('message', 'long_text')
  const body = { _gotcha: '', message: 'Buy viagra online without prescription, fast delivery.' }
  const headers = { 'cf-connecting-ip': '192.0.2.7' }

  it('is prepared from what came in and from where', async () => {
    const { saved, send } = world(storedForm([message]))
    expect((await send(body, headers)).kind).toBe('saved')
    expect(saved[0]?.judged).toMatchObject({
      reasons: ['words'],
      signs: [{ reason: 'repeated' }, { reason: 'flood' }],
    })
    expect(JSON.stringify(saved[0]?.judged)).not.toMatch(/192|viagra/)
  })

  it('is not asked for where the form has no filter', async () => {
    const { saved, send } = world(storedForm([message], { spamFilter: 'off' }))
    await send(body, headers)
    expect(saved[0]?.judged).toBeNull()
  })
})

describe('a good submission', () => {
  it('is saved with everything that belongs to it', async () => {
    const settings = {
      submissionLimitPerContact: 3,
      notificationEmails: ['a@b.example', 'c@d.example', 'A@B.example'],
    }
    const { saved, send } = world(storedForm([name, mail], { ...settings, version: 7 }))
    const result = await send({ ...good, mail: 'Ada@x.example', _gclid: ' g1 ' })
    const id = saved[0]?.submissionId ?? ''
    expect(id).toMatch(/^sub_[0-9A-Za-z]{22}$/)
    expect(saved).toEqual([
      {
        submissionId: id,
        formId: 'contact-us',
        formVersion: 7,
        submittedAt: '2026-06-15T12:00:00.000Z',
        source: 'headless',
        answers: { name: 'Ada', mail: 'Ada@x.example' },
        typed: null,
        extra: null,
        attribution: { gclid: 'g1' },
        contact: {
          newContactId: expect.stringMatching(/^con_[0-9A-Za-z]{22}$/) as string,
          email: 'Ada@x.example',
          emailKey: 'ada@x.example',
          phone: null,
          firstName: 'Ada',
          lastName: null,
          licensePlate: null,
        },
        limitPerContact: 3,
        outbox: ['a@b.example', 'c@d.example'].map((to, index) => ({
          outboxId: `obx_${id}_${index + 1}`,
          kind: 'notification_email',
          payload: { submissionId: id, formId: 'contact-us', to },
        })),
        servedAt: 'https://service.example',
        judged: { reasons: [], signs: [], words: expect.any(Array) as number[] },
      },
    ])
    expect(result).toEqual({
      kind: 'saved',
      submissionId: id,
      title: 'Thank you',
      message: 'Your submission has been received.',
      redirectUrl: null,
      voice: null,
    })
  })

  it('is answered with the configured words and the validated redirect', async () => {
    const { send } = world(storedForm([name], { successTitle: 'Hooray', successMessage: 'Bye' }))
    const result = await send({ ...good, _redirect: '/done' }, { origin: 'https://shop.example' })
    expect(result).toMatchObject({
      title: 'Hooray',
      message: 'Bye',
      redirectUrl: 'https://shop.example/done',
    })
  })
})

describe('the order of checks', () => {
  // Each step corrects only what the previous step was refused for.
  it('is the documented one', async () => {
    const field = fieldOf('file', 'file')
    const form = (settings: Partial<FormDefinition & StoredForm>, fields = [name, mail, field]) =>
      storedForm(fields, settings)
    const { state, send, saved } = world(null)
    const origin = { origin: 'https://shop.example' }
    const bad = { _password: ['x'], _redirect: 'https://evil.example', name: 1 }
    const tooLong = '{'.padEnd(65_537)
    expect(codeOf(await send(tooLong, { 'content-type': 'text/plain' }, 'bad id'))).toBe('body_too_large')
    expect(codeOf(await send('{', { 'content-type': 'text/plain' }, 'bad id'))).toBe('unsupported_media_type')
    expect(codeOf(await send('{', {}, 'bad id'))).toBe('invalid_body')
    expect(codeOf(await send(bad, {}, 'bad id'))).toBe('form_not_found')
    expect(codeOf(await send(bad))).toBe('form_not_found')
    state.form = form({ isPublished: false, version: 1 })
    expect(codeOf(await send(bad))).toBe('form_not_found')
    state.form = form({ version: 2 })
    expect(codeOf(await send(bad))).toBe('hosted_form_required')
    const limited = { submissionLimitPerContact: 1, passwordHash, version: 3 }
    state.form = form(limited, [name, mail])
    expect(codeOf(await send({ ...bad, _gotcha: 'bot' }))).toBe('validation_error')
    const unlisted = { ...bad, _password: null, _gotcha: 'bot' }
    expect(codeOf(await send(unlisted))).toBe('honeypot')
    expect(codeOf(await send({ ...unlisted, _gotcha: '' }))).toBe('password_required')
    expect(codeOf(await send({ ...unlisted, _gotcha: '', _password: '' }))).toBe('password_required')
    expect(codeOf(await send({ ...unlisted, _gotcha: '', _password: 'x' }))).toBe('invalid_password')
    const opened = { ...bad, _gotcha: '', _password: 'hunter2' }
    expect(codeOf(await send(opened, origin))).toBe('invalid_redirect')
    const redirected = { ...opened, _redirect: '/x' }
    expect(codeOf(await send(redirected))).toBe('invalid_redirect')
    expect(codeOf(await send(redirected, origin))).toBe('validation_error')
    state.outcome = { kind: 'limit_reached' }
    const answered = { ...redirected, name: 'Ada', mail: 'a@b.example' }
    expect(codeOf(await send(answered, origin))).toBe('submission_limit_reached')
    expect(saved).toEqual([])
    state.outcome = { kind: 'saved', contactId: 'con_1', outboxIds: [] }
    expect(codeOf(await send(answered, origin))).toBe('saved')
  })
})

describe('refusals', () => {
  it('look up no form for an impossible id', async () => {
    const { calls, send } = world(storedForm([name]))
    for (const formId of ['', 'a b', 'ä', 'x'.repeat(201), 'a/b', 'contact-us\n']) {
      expect(codeOf(await send(good, {}, formId))).toBe('form_not_found')
    }
    expect(calls).toEqual([])
  })

  it('name the field of a limited form that identifies nobody', async () => {
    const { calls, send } = world(storedForm([phone], { submissionLimitPerContact: 1 }))
    const result = await send({ _gotcha: '', phone: '1234567' })
    expect(result).toMatchObject({
      status: 422,
      code: 'validation_error',
      fieldErrors: new Map([['phone', 'Enter a valid phone number.']]),
    })
    expect(calls).toEqual(['find'])
  })

  it('do not stand in the way of an unlimited form that identifies nobody', async () => {
    const { saved, send } = world(storedForm([phone]))
    expect(codeOf(await send({ _gotcha: '', phone: '1234567' }))).toBe('saved')
    expect(saved[0]?.contact).toBeNull()
  })

  it('name control keys and fields', async () => {
    const { send } = world(storedForm([name]))
    expect(await send({ name: 'Ada' })).toMatchObject({
      code: 'validation_error',
      fieldErrors: new Map([['_gotcha', expect.any(String)]]),
    })
    expect(await send({ _gotcha: '', other: 1 })).toMatchObject({
      fieldErrors: new Map([
        ['name', 'This field is required.'],
        ['other', 'This form has no such field.'],
      ]),
    })
  })

  it('pass a storage failure on', async () => {
    const { state, send } = world(storedForm([name]))
    state.beforeSave = () => {
      throw new Error('lost connection')
    }
    await expect(send(good)).rejects.toThrow('lost connection')
  })
})

describe('the cache', () => {
  it('makes a saved submission one storage call', async () => {
    const { calls, send, warm } = world(storedForm([name]))
    await warm()
    expect(codeOf(await send(good))).toBe('saved')
    expect(calls).toEqual(['save'])
  })

  it.each<[string, unknown]>([
    ['validation_error', { _gotcha: '' }],
    ['honeypot', { _gotcha: 'x' }],
    ['invalid_redirect', { ...good, _redirect: '/x' }],
  ])('lets %s be confirmed', async (code, body) => {
    const { calls, send, warm } = world(storedForm([name]))
    await warm()
    expect(codeOf(await send(body))).toBe(code)
    expect(calls).toEqual(['find'])
  })

  it('evaluates again when the confirmation finds another version', async () => {
    const { calls, state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = storedForm([], { version: 2 })
    expect(codeOf(await send({ _gotcha: '' }))).toBe('saved')
    expect(calls).toEqual(['find', 'save'])
  })

  it('does not judge the answers to a form that is gone', async () => {
    const { state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = null
    expect(codeOf(await send({ _gotcha: '' }))).toBe('form_not_found')
  })

  it('evaluates again when the save finds another version', async () => {
    const { calls, saved, state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = storedForm([name, fieldOf('extra', 'short_text')], { version: 2, successTitle: 'New' })
    expect(await send(good)).toMatchObject({ kind: 'saved', title: 'New' })
    expect(calls).toEqual(['save', 'find', 'save'])
    expect(saved.map(({ formVersion }) => formVersion)).toEqual([2])
  })

  it.each<[string, StoredForm | null, string]>([
    ['unpublished', storedForm([name], { version: 2, isPublished: false }), 'form_not_found'],
    ['gone', null, 'form_not_found'],
    ['hosted now', storedForm([fieldOf('f', 'file')], { version: 2 }), 'hosted_form_required'],
    ['stricter', storedForm([name, mail], { version: 2 }), 'validation_error'],
  ])('does not save to a form that is %s', async (_name, next, code) => {
    const { saved, state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = next
    expect(codeOf(await send(good))).toBe(code)
    expect(codeOf(await send({ _gotcha: 'bot' }))).toBe(code === 'validation_error' ? 'honeypot' : code)
    expect(saved).toEqual([])
  })

  it('needs no second confirmation', async () => {
    const { calls, state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = storedForm([name, mail], { version: 2 })
    expect(codeOf(await send(good))).toBe('validation_error')
    expect(calls).toEqual(['save', 'find'])
  })

  it('asks for a password that was set meanwhile', async () => {
    const { saved, state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = storedForm([name], { version: 2, passwordHash })
    expect(codeOf(await send(good))).toBe('password_required')
    expect(saved).toEqual([])
  })

  it('notices a form that went to another organization under the same version', async () => {
    const { state, send, warm } = world(storedForm([name]))
    await warm()
    state.form = storedForm([], { organizationId: 'other' })
    expect(codeOf(await send({ _gotcha: '' }))).toBe('saved')
  })

  it('gives up on a form that never stands still', async () => {
    const { calls, saved, state, send, warm } = world(storedForm([name]))
    await warm()
    let version = 1
    state.beforeSave = () => {
      version += 1
      state.form = storedForm([name], { version })
    }
    expect(await send(good)).toMatchObject({ status: 500, code: 'internal_error' })
    expect(calls.filter((call) => call === 'save')).toHaveLength(3)
    expect(saved).toEqual([])
  })
})

const form = (formId: string, version = 1, name = 'x') =>
  loadForm({
    organizationId: 'org',
    formId,
    version,
    isPublished: true,
    definition: { ...definitionOf([]), name },
    passwordHash: null,
    phoneCountry: 'US',
    organizationName: 'Lakeside',
  })

const size = JSON.stringify(form('a').stored.definition).length

describe('the form cache', () => {
  it('returns what was put in last, and null for the rest', () => {
    const cache = createFormCache()
    cache.set(form('a'))
    cache.set(form('a', 2))
    expect(cache.get('a')?.stored.version).toBe(2)
    expect(cache.get('b')).toBeNull()
    cache.delete('a')
    cache.delete('a')
    expect(cache.get('a')).toBeNull()
  })

  it('makes room by dropping what was not used for longest', () => {
    const cache = createFormCache(3 * size)
    for (const id of ['a', 'b', 'c']) cache.set(form(id))
    cache.get('a')
    cache.set(form('d'))
    expect(['a', 'b', 'c', 'd'].filter((id) => cache.get(id) !== null)).toEqual(['a', 'c', 'd'])
  })

  it('counts a replaced or deleted form once', () => {
    const cache = createFormCache(2 * size)
    for (let round = 0; round < 5; round += 1) cache.set(form('a', round))
    cache.delete('a')
    for (const id of ['b', 'c']) cache.set(form(id))
    expect(['b', 'c'].filter((id) => cache.get(id) !== null)).toEqual(['b', 'c'])
  })

  it('does not keep a form that is larger than all of it', () => {
    const cache = createFormCache(2 * size)
    cache.set(form('a', 1, 'x'.repeat(3 * size)))
    expect(cache.get('a')).toBeNull()
    cache.set(form('b'))
    expect(cache.get('b')).not.toBeNull()
  })
})

describe('a form in German', () => {
  const settings = {
    language: 'de',
    texts: { required: 'Ohne {max} geht es nicht.', successTitle: ' ' },
  } as const
  const count = fieldOf('count', 'number', { max: 1.5 })
  const { send } = world(storedForm([name, mail, count], settings))

  it('says what is wrong in German and in its own words, with the codes of every form', async () => {
    expect(await send({ _gotcha: '', mail: 'x', count: 2, other: 1 })).toMatchObject({
      status: 422,
      code: 'validation_error',
      error: 'Einige Angaben stimmen noch nicht.',
      fieldErrors: new Map([
        ['name', 'Ohne {max} geht es nicht.'],
        ['mail', 'Geben Sie eine gültige E-Mail-Adresse ein.'],
        ['count', 'Geben Sie eine Zahl bis 1,5 ein.'],
        ['other', 'Dieses Formular hat kein solches Feld.'],
      ]),
    })
  })

  it('says so too of what only a page can send wrongly, and of a body that is too large', async () => {
    expect(await send({ name: 'Ada' })).toMatchObject({
      error: 'Eine Angabe stimmt noch nicht.',
      voice: { language: 'de' },
      fieldErrors: new Map([['_gotcha', 'Dieser Schlüssel wird benötigt; senden Sie ihn leer.']]),
    })
    expect(await send({ _gotcha: '', _password: 'x'.repeat(1_025), _redirect: ['a', 'b'] })).toMatchObject({
      fieldErrors: new Map([
        ['_password', 'Verwenden Sie höchstens 1024 Zeichen.'],
        ['_redirect', 'Geben Sie diesen Schlüssel nur einmal an, mit einem einzigen Wert.'],
      ]),
    })
    expect(await send({ ...good, mail: 'x'.repeat(70_000) })).toMatchObject({
      ...{ code: 'body_too_large', status: 413, voice: { language: 'de' } },
      error: 'Das ist zu viel auf einmal: Alles zusammen darf höchstens 65536 Bytes lang sein.',
    })
  })

  it('refuses what is too large in English where no form can be asked for its language', async () => {
    const english = { code: 'body_too_large', error: 'The request body exceeds 65536 bytes.', voice: null }
    const tooLong = 'x'.repeat(70_000)
    for (const hidden of [null, storedForm([name], { ...settings, isPublished: false })])
      expect(await world(hidden).send(tooLong)).toEqual(expect.objectContaining(english))
    const { state, send: sendTo, calls } = world(storedForm([name], settings))
    expect(await sendTo(tooLong, {}, 'bad id')).toMatchObject(english)
    expect(calls).toEqual([])
    Object.defineProperty(state, 'form', {
      get: () => {
        throw new Error('lost connection')
      },
    })
    expect(await sendTo(tooLong)).toMatchObject(english)
  })

  it('acknowledges in German, a filled trap too', async () => {
    const told = { title: 'Vielen Dank', message: 'Ihre Angaben sind angekommen.' }
    expect(await send({ ...good, mail: 'ada@x.example' })).toMatchObject({ kind: 'saved', ...told })
    expect(await send({ ...good, _gotcha: 'x' })).toMatchObject({ kind: 'honeypot', ...told })
  })
})

import { beforeEach, describe, expect, it, test } from 'vitest'
import { createScratchStorage } from '../../test/support/scratch/scratch-storage.ts'
import type { Organization } from '../../ports/organizations.ts'
import { importWorld, ndjsonBytes, sourceOf } from '../../test/support/data/imports.ts'
import { PART_BYTES, FILE_PROBLEMS_MAX, type ImportSource, type ImportOutcome } from './file/transfer.ts'
import { runImport } from './sessions.ts'
import { testSecrets } from '../../test/support/runner/fakes.ts'
import { FIRST_STEP_CHUNKS, nextStepChunks } from './write.ts'

const secrets = () => testSecrets()
let nowMs = 0
const clock = { nowMs: () => nowMs }
let storage = createScratchStorage({ clock })
let hashes = 0

/** Hashes with a counter, which shows how many were made. */
const passwords = {
  hash: async (password: string) => `${password}#${(hashes += 1)}`,
  verify: async (password: string, stored: string) => stored.startsWith(`${password}#`),
}

function organization(organizationId: string): Organization {
  return {
    organizationId,
    name: organizationId,
    slug: null,
    parentId: null,
    smsNumber: null,
    phoneCountry: 'GB',
    posSource: null,
    billingEvents: true,
    analytics: false,
    retentionOfferAnalytics: false,
    automationHourly: 500,
  }
}

beforeEach(async () => {
  nowMs = Date.UTC(2026, 5, 1)
  hashes = 0
  storage = createScratchStorage({ clock })
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
})

/** A source that yields the next of these versions each time it is opened, and the last one from then on. */
function source(...versions: readonly (readonly object[])[]): ImportSource {
  let opened = 0
  return {
    open: async function* () {
      const lines = versions[Math.min(opened, versions.length - 1)] ?? []
      opened += 1
      yield ndjsonBytes(lines)
    },
  }
}

async function run(
  kindName: string,
  from: ImportSource | readonly object[],
  org = 'acme',
): Promise<ImportOutcome> {
  const world = importWorld(storage, organization(org), { passwords, clock, secrets })
  return runImport(
    {
      kind: kindName,
      format: 'ndjson',
      source: 'open' in from ? from : sourceOf(ndjsonBytes(from)),
      onProgress: () => undefined,
    },
    world,
  )
}

function problemsOf(outcome: ImportOutcome): readonly string[] {
  if (outcome.kind !== 'invalid') return [outcome.kind]
  return outcome.problems.map(({ line, field, message }) => `${line} ${field} ${message}`)
}

const stored = async (collection: string, fields: readonly string[], ids: readonly string[], org = 'acme') =>
  storage.tenant(org).findMany(collection, fields, ids)

const contact = (contactId: string, rest: object = {}) => ({
  contactId,
  tags: [],
  emailConsent: 'unknown',
  smsConsent: 'unknown',
  createdAt: '2026-01-01T01:00:00+01:00',
  ...rest,
})

const form = (formId: string, rest: object = {}) => ({
  formId,
  name: 'F',
  isPublished: true,
  notificationEmails: [],
  fields: [],
  ...rest,
})

describe('importing automations', () => {
  const automation = (automationId: string, formId: string, steps: readonly object[], status = 'active') => ({
    automationId,
    name: 'A',
    status,
    trigger: { type: 'form_submission', formId },
    steps,
    createdAt: '2026-01-01T00:00:00Z',
  })
  const text = { type: 'send_sms', body: 'Hi' }
  const mail = (to: string) => ({ type: 'send_email', to, subject: 'S', html: 'H' })

  it('warns of each that writes to the contact of a form without a limit per contact', async () => {
    await run('forms', [form('open'), form('limited', { submissionLimitPerContact: 1 })])
    const outcome = await run('automations', [
      automation('both', 'open', [mail('contact'), text]),
      automation('staff', 'open', [mail('office@example.com'), { type: 'add_tag', tag: 't' }]),
      automation('paused', 'open', [text], 'paused'),
      automation('limited', 'limited', [text]),
      automation('of-no-form', 'none', [text]),
    ])
    const warning = (message: string) =>
      `both: form open: An automation sends ${message} to the contact after each submission, and submissionLimitPerContact is not set: whoever submits often has many sent.`
    expect(outcome).toMatchObject({
      kind: 'imported',
      changed: 5,
      warnings: [warning('an email'), warning('a text message')],
    })
  })

  it('warns of answers in texts that the form does not have', async () => {
    await run('forms', [
      form('asks', {
        submissionLimitPerContact: 1,
        fields: [{ id: 'firstName', type: 'short_text', label: 'First name' }],
      }),
    ])
    const hello = { ...mail('contact'), subject: 'Hi {{firstName}}', html: '{{firstname}}' }
    expect(await run('automations', [automation('a', 'asks', [text, hello], 'paused')])).toMatchObject({
      changed: 1,
      warnings: [
        'a: form asks: steps[1].html has {{firstname}}, and the form has no field of that id. Did you mean {{firstName}}? It will be empty.',
      ],
    })
  })
})

describe('importing a resource', () => {
  it('stores normalised values, derived ones and null for what is absent', async () => {
    const line = contact('c1', { email: ' Ada@Example.com ', phone: '020 7946 0958' })
    expect(await run('contacts', [line])).toEqual({
      kind: 'imported',
      read: 1,
      changed: 1,
      unchanged: 0,
      skipped: 0,
      fresh: null,
      merged: null,
      warnings: [],
    })
    const fields = ['contactId', 'email', 'emailKey', 'phone', 'createdAt', 'lastName']
    expect(await stored('contacts', fields, ['c1'])).toEqual([
      {
        contactId: 'c1',
        email: 'Ada@Example.com',
        emailKey: 'ada@example.com',
        phone: '+442079460958',
        createdAt: '2026-01-01T00:00:00.000Z',
        lastName: null,
      },
    ])
  })

  it('changes nothing the second time, and only what differs the third', async () => {
    const lines = ['c1', 'c2', 'c3'].map((id) => contact(id))
    await run('contacts', lines)
    expect(await run('contacts', lines)).toMatchObject({ changed: 0, unchanged: 3 })
    const edited = [contact('c2', { source: 'pos' }), contact('c3')]
    expect(await run('contacts', edited)).toMatchObject({ changed: 1, unchanged: 1 })
  })

  it('names every bad line and writes nothing, not even the good ones', async () => {
    const outcome = await run('contacts', [
      contact('good'),
      contact('c2', { emial: 'x' }),
      contact('c3', { updatedAt: '2026-01-01T00:00:00Z' }),
      contact('c4', { emailKey: 'x' }),
      contact('c5', { emailConsent: 'maybe', createdAt: '2026-01-01' }),
      { contactId: 'c6' },
      contact(''),
      contact('c8', { tags: ['a', 1] }),
    ])
    const problems = problemsOf(outcome)
    expect(problems[0]).toMatch(/^2 emial is not a field of contacts\. /)
    expect(problems[1]).toBe('3 updatedAt is set by the service and cannot be imported. Leave it out.')
    expect(problems[2]).toBe('4 emailKey is set by the service and cannot be imported. Leave it out.')
    expect(problems[3]).toMatch(/^5 emailConsent /)
    expect(problems[4]).toMatch(/^5 createdAt must be an ISO 8601/)
    expect(problems[5]).toMatch(/^7 contactId /)
    expect(problems[6]).toMatch(/^8 tags\.1 /)
    expect(problems).toHaveLength(7)
    expect(await stored('contacts', ['contactId'], ['good'])).toEqual([])
  })

  it('refuses an id given twice, also chunks apart', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => contact(`c${index}`))
    expect(problemsOf(await run('contacts', [...many, contact('c3')]))).toEqual([
      '2501 contactId is the same as in line 4',
    ])
  })

  it.each([
    ['vouchers', 'voucherId', 'redemptions'],
    ['automations', 'automationId', 'runs'],
    ['surveys', 'id', 'responses'],
    ['forms', 'formId', 'submissions'],
    ['vouchers', 'voucherId', '.'],
    ['automations', 'automationId', '..'],
  ])('refuses for %s the %s %s, for no request could name it', async (kind, field, id) => {
    const lines: Record<string, object> = {
      vouchers: { voucherId: id, status: 'active', code: 'X', createdAt: '2026-01-01T00:00:00Z' },
      automations: {
        automationId: id,
        name: 'A',
        status: 'draft',
        trigger: { type: 'manual' },
        steps: [],
        createdAt: '2026-01-01T00:00:00Z',
      },
      surveys: {
        id,
        surveyType: 'nps',
        name: 'S',
        isPublished: true,
        config: {},
        createdAt: '2026-01-01T00:00:00Z',
      },
      forms: form(id),
    }
    const problems = problemsOf(await run(kind, [lines[kind] ?? {}]))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(new RegExp(`^1 ${field} .*reserved`))
    expect(await run(kind, [{ ...lines[kind], [field]: `${id}-1` }])).toMatchObject({ changed: 1 })
  })

  it('says of each field one thing that is wrong with it', async () => {
    const half = '\ud800'
    const lines = [contact('c1', { email: half, siteId: half, createdAt: half, tags: [half] })]
    expect(problemsOf(await run('contacts', lines)).toSorted()).toEqual(
      ['createdAt', 'email', 'siteId', 'tags.0'].map(
        (field) => `1 ${field} holds half a character (a lone surrogate), which cannot be stored. Remove it`,
      ),
    )
  })

  it('accepts an owner only when it is the organization', async () => {
    expect(await run('contacts', [contact('c1', { organizationId: 'acme' })])).toMatchObject({ changed: 1 })
    const outcome = await run('contacts', [contact('c2', { organizationId: 'other' })])
    expect(problemsOf(outcome)).toEqual([
      '1 organizationId must be acme, the organization into which the file is imported',
    ])
  })

  it('ends the check at a bounded number of problems', async () => {
    const bad = Array.from({ length: 50 }, (_, index) => ({ nope: index }))
    expect(problemsOf(await run('contacts', bad))).toHaveLength(FILE_PROBLEMS_MAX)
  })

  it('refuses references to what is not stored', async () => {
    const submission = (submissionId: string, formId: string) => ({
      submissionId,
      formId,
      answers: { apiKey: 'kept' },
      attribution: {},
      source: 'hosted',
      submittedAt: '2026-01-01T00:00:00Z',
    })
    await run('forms', [form('f1')])
    await run('forms', [form('f2')], 'other')
    const outcome = await run('form-submissions', [submission('s1', 'f1'), submission('s2', 'f2')])
    expect(problemsOf(outcome)).toEqual(['2 formId names none of the forms stored for this organization'])
    expect(await run('form-submissions', [submission('s1', 'f1')])).toMatchObject({ changed: 1 })
    expect(await stored('form-submissions', ['answers'], ['s1'])).toEqual([{ answers: { apiKey: 'kept' } }])
    const joined = await run('form-submissions', [{ ...submission('s1', 'f1'), formName: 'F' }])
    expect(problemsOf(joined)).toEqual([
      '1 formName is set by the service and cannot be imported. Leave it out.',
    ])
  })
})

describe('a file that changes while it is imported', () => {
  const lines = Array.from({ length: 1_500 }, (_, index) => contact(`c${index}`, { source: 'x'.repeat(300) }))

  it.each([
    ['a row edited', [contact('c0', { source: 'edited' }), ...lines.slice(1)]],
    ['a row edited in a later part', [...lines.slice(0, -1), contact('c1499', { source: 'edited' })]],
    ['rows appended', [...lines, contact('more')]],
    ['rows lost', lines.slice(0, 1_000)],
    ['everything lost', []],
  ])('is noticed, and nothing of it is written: %s', async (_, second) => {
    expect(ndjsonBytes(lines).length).toBeGreaterThan(2 * PART_BYTES)
    const outcome = await run('contacts', source(lines, second))
    expect(outcome.kind === 'stopped' && outcome.message).toMatch(/^The file changed while it was imported/)
    expect(await stored('contacts', ['contactId'], ['c0', 'c1499', 'more'])).toEqual([])
    expect(await run('contacts', source(lines))).toMatchObject({ kind: 'imported', changed: 1_500 })
  })
})

describe('importing forms', () => {
  const fields = ['createdAt', 'publishedAt', 'passwordHash', 'definition']

  it('keeps the hash while the password verifies, and the first createdAt', async () => {
    await run('forms', [form('f1', { password: 'one' })])
    nowMs += 60_000
    expect(await run('forms', [form('f1', { password: 'one' })])).toMatchObject({ changed: 0, unchanged: 1 })
    expect(await stored('forms', fields, ['f1'])).toEqual([
      {
        createdAt: '2026-06-01T00:00:00.000Z',
        publishedAt: null,
        passwordHash: 'one#1',
        definition: form('f1'),
      },
    ])
  })

  it('hashes a changed password once, and drops the hash with the password', async () => {
    await run('forms', [form('f1', { password: 'one' })])
    expect(await run('forms', [form('f1', { password: 'two' })])).toMatchObject({ changed: 1 })
    expect(await stored('forms', ['passwordHash'], ['f1'])).toEqual([{ passwordHash: 'two#2' }])
    expect(await run('forms', [form('f1')])).toMatchObject({ changed: 1 })
    expect(await stored('forms', ['passwordHash'], ['f1'])).toEqual([{ passwordHash: null }])
  })

  it('takes createdAt and publishedAt when they are given', async () => {
    const given = { createdAt: '2025-01-01T00:00:00Z', publishedAt: '2025-02-01T00:00:00+00:00' }
    await run('forms', [form('f1', given)])
    expect(await stored('forms', ['createdAt', 'publishedAt'], ['f1'])).toEqual([
      { createdAt: '2025-01-01T00:00:00.000Z', publishedAt: '2025-02-01T00:00:00.000Z' },
    ])
  })

  it("refuses another organization's form id and leaves that form alone", async () => {
    await run('forms', [form('f1')])
    const outcome = await run('forms', [form('f2'), form('f1', { name: 'stolen' })], 'other')
    expect(problemsOf(outcome)).toEqual(['2 formId belongs to another organization'])
    expect(await stored('forms', ['name'], ['f2'], 'other')).toEqual([])
    expect(await stored('forms', ['name'], ['f1'])).toEqual([{ name: 'F' }])
  })

  it('refuses unknown keys and accepts a form that must be hosted', async () => {
    expect(problemsOf(await run('forms', [form('f1', { requiresPassword: true })]))[0]).toMatch(
      /^1 requiresPassword is not a key of a form/,
    )
    expect(await run('forms', [form('f1', { fields: [{ id: 'x', type: 'file' }] })])).toMatchObject({
      changed: 1,
    })
  })
})

/** The step size that is reached when every chunk takes the same time. */
function settled(chunkMs: number): number {
  let chunks = FIRST_STEP_CHUNKS
  for (let step = 0; step < 10; step += 1) chunks = nextStepChunks(chunks, chunks * chunkMs)
  return chunks
}

test('a step grows on a fast database, and shrinks on a slow one, within bounds', () => {
  expect(settled(0)).toBe(8)
  expect(settled(1)).toBe(8)
  expect(settled(40)).toBe(5)
  expect(settled(50)).toBe(4)
  expect(settled(5_000)).toBe(2)
})

test('a step is at most twice as large as the one before', () => {
  expect(nextStepChunks(4, 1)).toBe(8)
})

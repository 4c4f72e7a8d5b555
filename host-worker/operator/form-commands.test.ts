import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

const write = scratchFiles()
let at: TestOperator
const run: TestOperator['run'] = (...args) => at.run(...args)

beforeAll(async () => {
  at = await openTestOperator()
  for (const [id, ...flags] of [['acme'], ['other'], ['harbor', '--place', 'own']])
    expect((await run('org', 'create', '--id', id ?? '', '--name', 'A Wash', ...flags)).code).toBe(0)
})
afterAll(() => {
  expect(at.service.errors).toEqual([])
})

let count = 0
let formId = ''
beforeEach(() => {
  count += 1
  formId = `form-${count}`
})

const field = { id: 'name', type: 'short_text', label: 'Name', required: true }
const hosted = { id: 'photo', type: 'file', label: 'Photo' }

const file = (content: unknown) => write('forms.json', content)
const save = (content: unknown, org = 'acme', ...flags: readonly string[]) =>
  run('form', 'save', file(content), '--org', org, ...flags)
const show = async (id: string, org = 'acme') =>
  JSON.parse((await run('form', 'show', id, '--org', org)).stdout) as Record<string, unknown>

describe.each(['acme', 'harbor'])('in %s, a form', (org) => {
  test('is created, changed and published, and takes submissions only then', async () => {
    const form = { formId, name: 'Contact', fields: [field] }
    expect(await save(form, org)).toMatchObject({ code: 0, stdout: `${formId}: created, unpublished\n` })
    const submit = () =>
      at.service.send(`/api/forms/${formId}/submissions`, { json: { _gotcha: '', name: 'Ada' } })
    expect((await submit()).status).toBe(404)
    expect((await run('form', 'publish', formId, '--org', org)).stdout).toBe(
      `${formId}: changed, published\n`,
    )
    expect((await submit()).status).toBe(200)
    const page = await at.service.sendUnchecked(`/f/${formId}`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('A Wash</p>')])
    const { stderr } = await run('form', 'show', formId, '--org', org)
    expect(stderr).toMatch(new RegExp(`^Its page: http\\S+/f/${formId}\n$`))
    const { publishedAt } = await show(formId, org)
    expect(publishedAt).toEqual(expect.any(String))
    expect(await save({ ...form, name: 'Talk' }, org)).toMatchObject({
      stdout: `${formId}: changed, published\n`,
    })
    expect((await run('form', 'unpublish', formId, '--org', org)).stdout).toBe(
      `${formId}: changed, unpublished\n`,
    )
    expect((await submit()).status).toBe(404)
    expect((await at.service.sendUnchecked(`/f/${formId}`)).status).toBe(404)
    await run('form', 'publish', formId, '--org', org)
    expect((await show(formId, org)).publishedAt).toBe(publishedAt)
  })

  test('that is shown and saved again is unchanged', async () => {
    await save({ formId, name: 'F', isPublished: true, successTitle: 'Thanks', fields: [field] }, org)
    const shown = await show(formId, org)
    expect((await save(shown, org)).stdout).toBe(`${formId}: unchanged, published\n`)
    expect(await show(formId, org)).toEqual(shown)
  })

  test('loses what is left out, but keeps its password until it is null', async () => {
    const form = { formId, name: 'F', isPublished: true, fields: [field] }
    const isProtected = async () =>
      (
        JSON.parse(
          (await run('form', 'list', '--org', org, '--json')).stdout
            .split('\n')
            .find((line) => line.includes(`"${formId}"`)) ?? '{}',
        ) as { requiresPassword?: boolean }
      ).requiresPassword
    await save({ ...form, successTitle: 'Thanks', password: 'open sesame' }, org)
    expect(await isProtected()).toBe(true)
    expect((await save({ ...form, successTitle: 'Thanks', password: 'open sesame' }, org)).stdout).toContain(
      'unchanged',
    )
    await save(form, org)
    expect(await isProtected()).toBe(true)
    expect(await show(formId, org)).not.toHaveProperty('successTitle')
    await save({ ...form, password: null }, org)
    expect(await isProtected()).toBe(false)
  })
})

test('a form that must be hosted is saved unpublished with the reasons, and not published', async () => {
  const saved = await save({ formId, name: 'F', isPublished: true, fields: [hosted] })
  expect(saved.code).toBe(0)
  expect(saved.stdout).toBe(
    `${formId}: created, unpublished, must be hosted\n  Field "photo" is of type "file", which only the hosted form can take.\n`,
  )
  const published = await run('form', 'publish', formId, '--org', 'acme')
  expect(published.code).toBe(1)
  expect(published.stderr).toContain('"file"')
  expect((await show(formId)).isPublished).toBe(false)
})

test('a form that an import published, and that must be hosted, is unchanged when it is shown and saved', async () => {
  const form = { formId, name: 'F', isPublished: true, notificationEmails: [], fields: [hosted] }
  const path = write('imported.ndjson', JSON.stringify(form))
  expect((await run('import', 'forms', path, '--org', 'acme')).code).toBe(0)
  const shown = await show(formId)
  expect((await save(shown)).stdout).toMatch(new RegExp(`^${formId}: unchanged, published, must be hosted\n`))
  expect(await show(formId)).toEqual(shown)
  const renamed = { ...shown, name: 'G' }
  expect(await save(renamed)).toMatchObject({ code: 1, stdout: '' })
  expect(await show(formId)).toEqual(shown)
  expect((await save(renamed, 'acme', '--unpublish')).stdout).toMatch(
    /: changed, unpublished, must be hosted\n/,
  )
})

describe.each(['acme', 'harbor'])('in %s, a published form', (org) => {
  const live = () => ({ formId, name: 'F', isPublished: true, fields: [field] })

  test.each<[string, object, string]>([
    [
      'what must be hosted',
      { fields: [field, hosted] },
      'fields[1].type would take the published form offline: Field "photo" is of type "file", which only the hosted form can take.',
    ],
    [
      'a rule about a field that was removed',
      {
        fields: [
          {
            ...field,
            visibleWhen: { match: 'all', rules: [{ field: 'gone', operator: 'is_empty' }] },
          },
        ],
      },
      'fields[0].visibleWhen.rules[0] would take the published form offline: Field "name": visibleWhen refers to "gone", which is not a field of this form.',
    ],
    [
      'isPublished false',
      { isPublished: false },
      'isPublished is false, which would take the published form offline.',
    ],
  ])('is not taken offline by %s, unless it is asked for', async (_what, changes, said) => {
    await save(live(), org)
    const before = await show(formId, org)
    const other = { formId: `${formId}-other`, name: 'F', fields: [field] }
    const refused = await save([other, { ...live(), ...changes }], org)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(
      `Nothing was saved. Form 2: ${said} To take it offline and save it so, give unpublish (--unpublish).`,
    )
    expect(await show(formId, org)).toEqual(before)
    expect((await run('form', 'show', other.formId, '--org', org)).code).toBe(1)
    expect(await save({ ...live(), ...changes }, org, '--unpublish')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${formId}: changed, unpublished`)) as string,
    })
    expect(await show(formId, org)).toMatchObject({ isPublished: false, publishedAt: before.publishedAt })
  })

  test('stays published without saying so, and is unpublished in any case by --unpublish', async () => {
    await save(live(), org)
    const { isPublished, ...silent } = live()
    expect((await save({ ...silent, name: 'G' }, org)).stdout).toBe(`${formId}: changed, published\n`)
    expect((await save({ ...silent, name: 'G', isPublished }, org, '--unpublish')).stdout).toBe(
      `${formId}: changed, unpublished\n`,
    )
  })
})

test('a type or an operator that does not exist is refused with the nearest word, wherever it is', async () => {
  const when = (operator: unknown) => ({ match: 'all', rules: [{ field: 'name', operator, value: 'x' }] })
  const fields = [
    { ...field, type: 'shrt_text' },
    { ...field, id: 'b', type: 'rating' },
    { ...field, id: 'c', visibleWhen: when('equal') },
    { ...field, id: 'd', type: 7, visibleWhen: when({}) },
    { ...hosted, visibleWhen: when('is_emty') },
  ]
  const { code, stderr } = await save({ formId, name: 'F', fields })
  expect(code).toBe(1)
  for (const named of [
    'Form 1: fields[0].type is "shrt_text", which is no type of field. Did you mean short_text?',
    'Form 1: fields[1].type is "rating", which is no type of field. Known are short_text, ',
    'Form 1: fields[2].visibleWhen.rules[0].operator is "equal", which is no operator. Did you mean equals?',
    'Form 1: fields[3].type is 7, which is no type of field.',
    'Form 1: fields[3].visibleWhen.rules[0].operator is {}, which is no operator.',
    'Form 1: fields[4].visibleWhen.rules[0].operator is "is_emty", which is no operator. Did you mean is_empty?',
  ])
    expect(stderr).toContain(named)
  expect((await run('form', 'show', formId, '--org', 'acme')).code).toBe(1)
})

test('words that an import has stored may stay while something else changes', async () => {
  const form = {
    formId,
    name: 'F',
    isPublished: false,
    notificationEmails: [],
    fields: [{ ...field, type: 'rating' }],
  }
  const path = write('rating.ndjson', JSON.stringify(form))
  expect((await run('import', 'forms', path, '--org', 'acme')).code).toBe(0)
  expect((await save(await show(formId))).stdout).toMatch(/: unchanged/)
  expect((await save({ ...form, name: 'G' })).stdout).toMatch(/: changed, unpublished, must be hosted\n/)
  expect((await save({ ...form, fields: [{ ...field, type: 'ratings' }] })).code).toBe(1)
})

test('the order of settings changes nothing, at any depth', async () => {
  const first = [
    { id: 'a', type: 'single_choice', label: 'A', options: [{ value: 'x', label: 'X' }] },
    {
      id: 'b',
      type: 'short_text',
      label: 'B',
      visibleWhen: { match: 'all', rules: [{ field: 'a', operator: 'equals', value: 'x' }] },
    },
  ]
  const again = [
    { options: [{ label: 'X', value: 'x' }], label: 'A', type: 'single_choice', id: 'a' },
    {
      visibleWhen: { rules: [{ value: 'x', operator: 'equals', field: 'a' }], match: 'all' },
      type: 'short_text',
      label: 'B',
      id: 'b',
    },
  ]
  expect((await save({ formId, name: 'F', fields: first })).stdout).toMatch(/: created/)
  expect((await save({ fields: again, name: 'F', formId })).stdout).toBe(
    `${formId}: unchanged, unpublished\n`,
  )
})

test('the schema that a file names is allowed and not kept, and nowhere else', async () => {
  const form = { $schema: 'http://127.0.0.1:8787/forms/schema.json', formId, name: 'F', fields: [field] }
  expect((await save(form)).code).toBe(0)
  expect(await show(formId)).not.toHaveProperty('$schema')
  expect((await save(form)).stdout).toBe(`${formId}: unchanged, unpublished\n`)
  expect(await run('form', 'check', file(form))).toMatchObject({
    code: 0,
    stdout: `${formId}: can be submitted here\n`,
  })
  expect((await save({ ...form, fields: [{ ...field, $schema: 'x' }] })).stderr).toContain(
    'fields[0].$schema is not a known key.',
  )
})

test('of a list with mistakes nothing is saved, and each is named', async () => {
  await save({ formId: 'theirs', name: 'F', fields: [] }, 'other')
  const good = { formId, name: 'F', fields: [] }
  const { code, stdout, stderr } = await save([
    good,
    good,
    { formId: 'theirs', name: 'F', fields: [] },
    { formId: `${formId}-b`, name: 'F', colour: 1, fields: [{ ...field, requried: true }] },
    { formId: `${formId}-c`, fields: {} },
  ])
  expect([code, stdout]).toEqual([1, ''])
  for (const named of [
    'Form 2: formId is given twice.',
    'Form 3: formId belongs to another organization.',
    'Form 4: colour is not a known key.',
    'Form 4: fields[0].requried is not a known key. Did you mean required?',
    'Form 5: name is required.',
    'Form 5: fields must be a list of fields.',
  ])
    expect(stderr).toContain(named)
  expect((await run('form', 'show', formId, '--org', 'acme')).code).toBe(1)
})

test('a list, one form and one form a line are read; anything else is refused', async () => {
  const [a, b] = [`${formId}-a`, `${formId}-b`].map((id) => ({ formId: id, name: 'F', fields: [] }))
  expect((await save(`\uFEFF${JSON.stringify([a, b])}`)).stdout).toMatch(/-a: created.*\n.*-b: created/)
  expect((await save(`${JSON.stringify(a)}\r\n\r\n${JSON.stringify(b)}\n`)).stdout).toMatch(
    /-a: unchanged.*\n.*-b: unchanged/,
  )
  for (const content of ['', '[]', '7', '[7]', '{"formId":', `${JSON.stringify(a)}\nnot JSON`])
    expect(await save(content)).toMatchObject({ code: 1, stdout: '' })
  expect((await run('form', 'save', '/nonexistent/none.json', '--org', 'acme')).code).toBe(1)
  expect((await run('form', 'publish', 'none', '--org', 'acme')).code).toBe(1)
})

describe.each(['acme', 'harbor'])('in %s, versions of a form', (org) => {
  interface Version {
    readonly version: number
    readonly savedAt: string
    readonly savedBy: string | null
    readonly name: string
  }
  const versions = async (): Promise<readonly Version[]> => {
    const { stdout } = await run('form', 'versions', formId, '--org', org, '--json')
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Version]))
  }
  const numbers = async () => (await versions()).map(({ version }) => version)
  const shownAt = async (version: number) =>
    JSON.parse(
      (await run('form', 'show', formId, '--version', String(version), '--org', org)).stdout,
    ) as Record<string, unknown>

  test('are made by each save that changes something, are seen, and are taken back as a new one', async () => {
    const form = { formId, name: 'One', fields: [field], notificationEmails: ['a@example.com'] }
    await save({ ...form, isPublished: true, password: 'open sesame' }, org)
    await save({ ...form, isPublished: true }, org)
    await save({ ...form, name: 'Two', fields: [{ ...field, label: 'Gone' }] }, org)
    expect(await versions()).toMatchObject([
      { version: 2, name: 'Two', savedBy: expect.any(String) as string },
      { version: 1, name: 'One', savedBy: expect.any(String) as string },
    ])
    const shown = await shownAt(1)
    expect(shown).toMatchObject(form)
    for (const key of ['isPublished', 'password', 'passwordHash']) expect(shown).not.toHaveProperty(key)
    expect(JSON.stringify(shown)).not.toContain('sesame')
    // What is printed can be saved, and takes nothing offline.
    expect((await save(shown, org)).stdout).toBe(`${formId}: changed, published\n`)
    const restored = await run('form', 'restore', formId, '--version', '2', '--org', org)
    expect(restored).toEqual({ code: 0, stdout: `${formId}: changed, published\n`, stderr: '' })
    expect(await show(formId, org)).toMatchObject({
      name: 'Two',
      isPublished: true,
      fields: [{ label: 'Gone' }],
    })
    expect(await numbers()).toEqual([4, 3, 2, 1])
    expect((await run('form', 'restore', formId, '--version', '4', '--org', org)).stdout).toContain(
      'unchanged',
    )
    expect(await numbers()).toEqual([4, 3, 2, 1])
    expect(
      (await run('form', 'versions', formId, '--org', org, '--limit', '2', '--json')).stdout.split('\n'),
    ).toHaveLength(3)
    // The password is that of now.
    const { stdout } = await run('form', 'list', '--org', org, '--json')
    expect(stdout.split('\n').find((line) => line.includes(`"${formId}"`))).toContain(
      '"requiresPassword":true',
    )
  })

  test('are kept of what an import stores, though nobody is known to have saved it', async () => {
    const form = {
      formId,
      name: 'One',
      isPublished: true,
      notificationEmails: [],
      fields: [
        { ...field, odd: 1 },
        { ...hosted, type: 'rating' },
      ],
    }
    const imported = async (line: object) => {
      const path = write('version.ndjson', JSON.stringify(line))
      expect((await run('import', 'forms', path, '--org', org)).code).toBe(0)
    }
    for (const _time of ['first', 'again']) {
      await imported(form)
      expect(await versions()).toMatchObject([{ version: 1, name: 'One', savedBy: null }])
    }
    const second = { formId, name: 'Two', fields: [field] }
    await save(second, org)
    expect(await versions()).toMatchObject([
      { version: 2, name: 'Two', savedBy: expect.any(String) as string },
      { version: 1, name: 'One', savedBy: null },
    ])
    await imported({ ...second, isPublished: true, notificationEmails: [], name: 'Three' })
    await run('form', 'unpublish', formId, '--org', org)
    await run('form', 'publish', formId, '--org', org)
    await save({ ...second, name: 'Four' }, org)
    expect((await versions()).map(({ name, savedBy }) => [name, savedBy !== null])).toEqual([
      ['Four', true],
      ['Three', false],
      ['Two', true],
      ['One', false],
    ])
    // A published form is not taken offline by taking back what cannot be published.
    const refused = await run('form', 'restore', formId, '--version', '1', '--org', org)
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('fields[1].type would take the published form offline')
    const taken = await run('form', 'restore', formId, '--version', '1', '--unpublish', '--org', org)
    expect(taken.stdout).toMatch(new RegExp(`^${formId}: changed, unpublished, must be hosted`))
    expect((await show(formId, org)).fields).toEqual(form.fields)
  })

  test('are at most 50, and the oldest go', async () => {
    for (let number = 1; number <= 53; number += 1)
      await save({ formId, name: `Number ${number}`, fields: [] }, org)
    expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, index) => 53 - index))
    expect((await run('form', 'show', formId, '--version', '3', '--org', org)).stderr).toContain(
      `${formId} has no version 3, or no longer.`,
    )
    expect((await shownAt(4)).name).toBe('Number 4')
  })

  test('go with the form, and are nobody else’s', async () => {
    await save({ formId, name: 'One', fields: [] }, org)
    const other = org === 'acme' ? 'other' : 'acme'
    for (const words of [
      ['versions', formId],
      ['show', formId, '--version', '1'],
      ['restore', formId, '--version', '1'],
    ]) {
      const { code, stderr } = await run('form', ...words, '--org', other)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${other} has no form ${formId}.`)])
    }
    expect((await run('form', 'restore', formId, '--version', '9', '--org', org)).stderr).toContain(
      `${formId} has no version 9, or no longer.`,
    )
    for (const wrong of ['0', '-1', '1.5', 'x', '99999999999999999999'])
      expect([wrong, (await run('form', 'show', formId, `--version=${wrong}`, '--org', org)).code]).toEqual([
        wrong,
        2,
      ])
    expect((await run('rows', 'delete', 'forms', '--id', formId, '--org', org)).code).toBe(0)
    await save({ formId, name: 'New', fields: [] }, org)
    expect(await versions()).toMatchObject([{ version: 1, name: 'New' }])
  })
})

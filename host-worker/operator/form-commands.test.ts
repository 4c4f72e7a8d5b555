import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'

const directory = mkdtempSync(join(tmpdir(), 'form-commands-'))
let at: TestOperator
const run: TestOperator['run'] = (...args) => at.run(...args)

beforeAll(async () => {
  at = await openTestOperator()
  for (const [id, ...flags] of [['acme'], ['other'], ['harbor', '--place', 'own']])
    expect((await run('org', 'create', '--id', id ?? '', '--name', 'A Wash', ...flags)).code).toBe(0)
})
afterAll(() => {
  expect(at.service.errors).toEqual([])
  rmSync(directory, { recursive: true })
})

let count = 0
let formId = ''
beforeEach(() => {
  count += 1
  formId = `form-${count}`
})

const field = { id: 'name', type: 'short_text', label: 'Name', required: true }
const hosted = { id: 'photo', type: 'file', label: 'Photo' }

function file(content: unknown): string {
  const path = join(directory, 'forms.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}
const save = (content: unknown, org = 'acme') => run('form', 'save', file(content), '--org', org)
const show = async (id: string, org = 'acme') =>
  JSON.parse((await run('form', 'show', id, '--org', org)).stdout) as Record<string, unknown>

describe.each(['acme', 'harbor'])('in %s, a form', (org) => {
  test('is created, changed and published, and takes submissions only then', async () => {
    const form = { formId, name: 'Contact', fields: [field] }
    expect(await save(form, org)).toMatchObject({ code: 0, stdout: `${formId}: created, unpublished\n` })
    const submit = () =>
      at.service.send(`/api/forms/${formId}/submissions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ _gotcha: '', name: 'Ada' }),
      })
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
  expect(saved.stdout).toMatch(new RegExp(`^${formId}: created, unpublished, must be hosted\\n {2}.*"file"`))
  const published = await run('form', 'publish', formId, '--org', 'acme')
  expect(published.code).toBe(1)
  expect(published.stderr).toContain('"file"')
  expect((await show(formId)).isPublished).toBe(false)
})

test('a form that an import published, and that must be hosted, is unchanged when it is shown and saved', async () => {
  const form = { formId, name: 'F', isPublished: true, notificationEmails: [], fields: [hosted] }
  const path = join(directory, 'imported.ndjson')
  writeFileSync(path, JSON.stringify(form))
  expect((await run('import', 'forms', path, '--org', 'acme')).code).toBe(0)
  const shown = await show(formId)
  expect((await save(shown)).stdout).toMatch(new RegExp(`^${formId}: unchanged, published, must be hosted\n`))
  expect(await show(formId)).toEqual(shown)
  expect((await save({ ...shown, name: 'G' })).stdout).toMatch(/: changed, unpublished, must be hosted\n/)
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
  expect((await run('form', 'save', join(directory, 'none.json'), '--org', 'acme')).code).toBe(1)
  expect((await run('form', 'publish', 'none', '--org', 'acme')).code).toBe(1)
})

test('every change is in the audit, with the ids of the forms', async () => {
  await save({ formId, name: 'F', password: 'open sesame', fields: [] })
  await run('form', 'publish', formId, '--org', 'acme')
  const { stdout } = await run('audit', '--org', 'acme')
  for (const action of ['form.save', 'form.publish'])
    expect(
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as object),
    ).toContainEqual(
      expect.objectContaining({
        action,
        outcome: 'done',
        subject: expect.objectContaining({ type: 'forms', ids: [formId] }) as object,
      }),
    )
  expect(stdout).not.toContain('sesame')
})

test('a support key reads forms and changes none', async () => {
  const key = await at.service.addOperatorKey('support')
  await save({ formId, name: 'F', fields: [] })
  expect((await run('form', 'show', formId, '--org', 'acme', '--key', key)).code).toBe(0)
  expect((await run('form', 'publish', formId, '--org', 'acme', '--key', key)).code).toBe(1)
  expect(
    (await run('form', 'save', file({ formId, name: 'G', fields: [] }), '--org', 'acme', '--key', key)).code,
  ).toBe(1)
  expect((await show(formId)).name).toBe('F')
})

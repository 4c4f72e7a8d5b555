import { beforeAll, expect, it } from 'vitest'
import { openTestOperator, type TestOperator } from '../../test/support/services/operator/operator.ts'
import { scratchFiles } from '../../test/support/scratch/scratch-folder.ts'

const write = scratchFiles()
let test: TestOperator
const operator: TestOperator['run'] = (...args) => test.run(...args)

beforeAll(async () => {
  test = await openTestOperator()
})

const file = (name: string, lines: readonly (object | string)[]) =>
  write(name, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))

it('says of each form whether it can be submitted here', async () => {
  const common = { name: 'F', isPublished: true, notificationEmails: [] }
  const path = file('forms.ndjson', [
    { ...common, formId: 'plain', fields: [{ id: 'apiKey', type: 'short_text', label: 'A' }] },
    { ...common, formId: 'hosted', organizationId: 'x', fields: [{ id: 'f', type: 'file', label: 'F' }] },
  ])
  const { code, stdout, stderr } = await operator('form', 'check', path)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^plain: can be submitted here\n {2}warning: .*\nhosted: must be hosted\n {2}\S/)
})

it('names lines that are no form by their number, also beyond one request', async () => {
  const forms = Array.from({ length: 120 }, (_, index) => ({
    formId: `f-${index}`,
    name: 'F',
    isPublished: true,
    notificationEmails: [],
    fields: [],
  }))
  const path = file('some.ndjson', [...forms, '{"formId":"a b"}', 'not JSON'])
  const { code, stdout, stderr } = await operator('form', 'check', path)
  expect(code).toBe(1)
  expect(stdout.match(/^f-\d+: can be submitted here$/gm)?.length).toBe(120)
  expect(stderr).toMatch(
    /^line 121: formId [^]*\nline 122, column 1: \(line\) is not JSON: a value was expected[^\n]*\n2 lines are no form\.\n$/,
  )
})

it('takes what "form save" takes: one form in any layout, a list, and settings that are left out', async () => {
  const plain = {
    formId: 'plain',
    name: 'F',
    fields: [{ id: 'a', type: 'short_text', label: 'A', requird: true }],
  }
  const one = await operator('form', 'check', file('one.json', [JSON.stringify(plain, null, 2)]))
  expect(one).toEqual({
    code: 0,
    stdout:
      'plain: can be submitted here\n  "form save" refuses it: fields[0].requird is not a known key. Did you mean required?\n',
    stderr: '',
  })
  const misspelt = { ...plain, fields: [{ id: 'a', type: 'shrt_text', label: 'A' }] }
  expect((await operator('form', 'check', file('one.json', [misspelt]))).stdout).toBe(
    [
      'plain: must be hosted',
      '  "form save" refuses it: fields[0].type is "shrt_text", which is no type of field. Did you mean short_text?',
      '  Field "a" is of type "shrt_text", which does not exist here.',
      '',
    ].join('\n'),
  )
  const list = [plain, { ...plain, formId: 'other', nmae: 'x' }, 7]
  expect(await operator('form', 'check', file('list.json', [JSON.stringify(list, null, 2)]))).toMatchObject({
    code: 1,
    stderr: [
      'form 2: nmae is not a known key. Did you mean name?',
      'form 3: (line) must be a JSON object',
      '2 forms are no form.',
      '',
    ].join('\n'),
  })
  const broken = file('broken.json', ['{', '  "formId": "x",', '  "password": "open sesame" "x"', '}'])
  for (const command of [['check'], ['save']]) {
    const { code, stderr } = await operator('form', ...command, broken, '--org', 'acme')
    expect([code, stderr]).toEqual([
      1,
      `${broken} is not JSON: line 3, column 29: a comma or } was expected.\n`,
    ])
  }
})

const FIELDS = '[{"id":"a","type":"short_text","label":"A"}]'

it.each<[what: string, lines: readonly string[] | Uint8Array, said: string]>([
  [
    'a comma too many',
    ['{', `  "formId": "x", "fields": ${FIELDS},`, '}'],
    ' is not JSON: line 2, column 72: there is a comma too many before the }.',
  ],
  [
    'single quotes',
    ["{'formId': 'x'}"],
    ' is not JSON: line 1, column 2: names and texts are in double quotes, not in single ones.',
  ],
  ['a comment', ['// a form', '{"formId": "x"}'], ' is not JSON: line 1, column 1: JSON has no comments.'],
  [
    'no end',
    ['[', '  {"formId": "x"},', '  {"formId": "y"}', ''],
    ' is not JSON: line 5, column 1: the text ends here, but ] is missing for the [ in line 1, column 1.',
  ],
  [
    'no end of one form',
    ['{', '  "formId": "x"'],
    ' is not JSON: line 3, column 1: the text ends here, but } is missing for the { in line 1, column 1.',
  ],
  [
    'a broken second line',
    ['{"formId": "x"}', '{"formId": "open sesame" 1}'],
    ', line 2, column 26: this is not JSON: a comma or } was expected.',
  ],
  [
    'a broken first line of several',
    ['{"formId" "x"}', '{"formId": "y"}'],
    ', line 1, column 11: this is not JSON: a colon was expected after the name.',
  ],
  [
    'UTF-16',
    Buffer.from('\uFEFF{"formId": "x"}', 'utf16le'),
    ': line 1 begins a file in UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8").',
  ],
  ['Windows-1252', Buffer.from('{"name": "Caf\u00E9"}', 'latin1'), ' is not in UTF-8. Save it as UTF-8.'],
])('says where and what is wrong with JSON that has %s', async (_what, lines, said) => {
  const path = write('wrong.json', lines instanceof Uint8Array ? lines : `\uFEFF${lines.join('\r\n')}\n`)
  const { code, stderr } = await operator('form', 'save', path, '--org', 'acme')
  expect([code, stderr]).toEqual([1, `${path}${said}\n`])
  expect((await operator('form', 'check', path)).code).toBe(1)
})

it('reads CSV, and an empty file', async () => {
  const csv = file('forms.csv', ['formId,name,isPublished,notificationEmails,fields', 'f-1,F,true,[],[]'])
  expect(await operator('form', 'check', csv)).toMatchObject({
    code: 0,
    stdout: 'f-1: can be submitted here\n',
  })
  expect(await operator('form', 'check', file('empty.ndjson', []))).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})

it('warns of weak forms, of those that send messages only where it can see automations', async () => {
  const fields = [{ id: 'email', type: 'email', label: 'E', required: true, contactField: 'email' }]
  const common = { name: 'F', isPublished: true, notificationEmails: [], fields }
  const path = file('weak-forms.ndjson', [
    { ...common, formId: 'texting', password: 'short' },
    { ...common, formId: 'limited', password: 'long enough', submissionLimitPerContact: 1 },
    { ...common, formId: 'paused' },
  ])
  for (const id of ['texts', 'acme']) await operator('org', 'create', '--id', id, '--name', id)
  const automations = ['texting', 'limited', 'paused'].map((formId) => ({
    automationId: `of-${formId}`,
    name: 'A',
    status: formId === 'paused' ? 'paused' : 'active',
    trigger: { type: 'form_submission', formId },
    steps: [
      { type: 'add_tag', tag: 't' },
      { type: 'send_sms', body: 'Hi' },
    ],
    createdAt: '2026-01-01T00:00:00Z',
  }))
  expect(await operator('import', 'forms', path, '--org', 'texts')).toMatchObject({ code: 0 })
  const ndjson = file('texting.ndjson', automations)
  expect(await operator('import', 'automations', ndjson, '--org', 'texts')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^warning: of-texting: form texting: An automation sends a text message .*\n$/,
    ) as unknown,
  })
  const warnings = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await operator('form', 'check', path, ...flags)
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n').map((line) => /password|text message|^\w+/.exec(line)?.[0])
  }
  expect(await warnings()).toEqual(['texting', 'password', 'limited', 'paused', undefined])
  const seen = ['texting', 'password', 'text message', 'limited', 'paused', undefined]
  expect(await warnings('--org', 'texts')).toEqual(seen)
  expect(await warnings('--org', 'acme')).toEqual(seen.filter((word) => word !== 'text message'))
  expect(await operator('form', 'check', path, '--org', 'nobody')).toMatchObject({ code: 1, stdout: '' })
  expect(await operator('form', 'check', path, '--org', '')).toMatchObject({ code: 2, stdout: '' })
})

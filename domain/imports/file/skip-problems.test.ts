import { expect, test } from 'vitest'
import { toolsWithoutSecrets } from '../../../host-worker/http/world.ts'
import type { ImportProblem } from '../../../ports/import-sessions.ts'
import { utf8 } from '../../text/encoding.ts'
import { kindOf } from '../kinds.ts'
import { standingRecords } from './csv.ts'
import { importWhole, sortOut } from './skip-problems.ts'
import type { ImportOutcome, ImportSource } from './transfer.ts'

const rules = { columns: kindOf('contacts', toolsWithoutSecrets()), mapping: {} }

/** A file that arrives in pieces of some bytes. */
function inPieces(text: string, bytes: number): ImportSource {
  const all = utf8(text)
  return {
    async *open() {
      for (let at = 0; at < all.length; at += bytes) yield all.slice(at, at + bytes)
    },
  }
}

async function textOf(source: ImportSource): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of source.open()) text += decoder.decode(bytes, { stream: true })
  return text
}

const files = {
  'a cell of several lines': 'email,last name\n"ada@example.com","By\nron, ""A""\n"\nbo@example.com,Bo\n',
  'an announced separator': 'sep=;\nemail;last name\r\nada@example.com;Byron, A\r\nbo@example.com;Bo',
  'empty lines before the header, with other separators': ',,\n\nemail;last name\nada@example.com;Byron, A\n',
  'lines that end as on an old Mac': 'email,last name\r"a\rb",x\rbo@example.com,Bo\r',
  'a quote that never ends': 'email,last name\nada@example.com,Byron\n"bo,Bo\nmore\n',
}

test.each(Object.entries(files))(
  'the records of a file stand as they are, however it arrives: %s',
  async (_, text) => {
    const recordsIn = async (bytes: number) => {
      const found: unknown[] = []
      for await (const { line, cells, bytes: own } of standingRecords(inPieces(text, bytes), rules))
        found.push([line, cells, new TextDecoder().decode(own)])
      return found as readonly (readonly [number, readonly string[] | null, string])[]
    }
    const whole = await recordsIn(text.length)
    expect(whole.map(([, , own]) => own).join('')).toBe(text)
    for (let bytes = 1; bytes < text.length; bytes += 1)
      expect([bytes, await recordsIn(bytes)]).toEqual([bytes, whole])
    // Naively, a record has the number of the lines before it.
    let before = ''
    for (const [line, , own] of whole) {
      expect(line).toBe(before.split(/\r\n|\r|\n/).length)
      before += own
    }
  },
)

test('a separator that an empty line seems to have is not that of the file', async () => {
  const cells: unknown[] = []
  for await (const record of standingRecords(
    inPieces(files['empty lines before the header, with other separators'], 7),
    rules,
  ))
    cells.push(record.cells)
  expect(cells.slice(2)).toEqual([
    ['email', 'last name'],
    ['ada@example.com', 'Byron, A'],
  ])
})

test('rows that lack cells, or cannot be read, have what is wrong with them under its own head', async () => {
  const source = inPieces('email,first name,last name\nwrong\nada@example.com,Ada\n"bo', 5)
  const problems: readonly ImportProblem[] = [
    { line: 2, field: 'email', message: 'is wrong' },
    { line: 2, field: 'email', message: 'is too short' },
    { line: 4, field: '(line)', message: 'never ends' },
  ]
  const outcomes: ImportOutcome[] = [
    { kind: 'invalid', problems },
    {
      kind: 'checked',
      read: 1,
      skipped: 0,
      changed: 0,
      unchanged: 0,
      fresh: null,
      merged: null,
      warnings: [],
    },
  ]
  const checked: string[] = []
  const sorted = await sortOut(source, rules, async (rows) => {
    checked.push(await textOf(rows))
    return outcomes[checked.length - 1] ?? { kind: 'stopped', message: 'once more' }
  })
  if (!('right' in sorted)) throw new Error('It was not sorted')
  expect(await textOf(sorted.right)).toBe('email,first name,last name\nada@example.com,Ada\n')
  expect(checked.at(-1)).toBe(await textOf(sorted.right))
  expect([sorted.wrongRows, sorted.wrong.split('\r\n')]).toEqual([
    2,
    [
      '\ufeffemail,first name,last name,problem',
      'wrong,,,"email is wrong; email is too short"',
      '"""bo",,,(line) never ends',
      '',
    ],
  ])
})

test('a row that needs one which was left out is left out in the next round, and none comes back', async () => {
  const lines = ['email,last name', 'a,1', 'b,2', 'c,3', 'd,4', 'e,5', '']
  // Of each round the lines that are wrong, as they stand in what is left.
  const rounds = [[3, 5], [3], []]
  const checked: string[] = []
  const sorted = await sortOut(inPieces(lines.join('\n'), 4), rules, async (rows) => {
    const wrong = rounds[checked.length] ?? [2]
    checked.push(await textOf(rows))
    const counts = { skipped: 0, changed: 0, unchanged: 0, fresh: null, merged: null, warnings: [] }
    return wrong.length === 0
      ? { kind: 'checked', read: 2, ...counts }
      : {
          kind: 'invalid',
          problems: wrong.map((line) => ({ line, field: 'email', message: `is wrong in ${line}` })),
        }
  })
  if (!('right' in sorted)) throw new Error('It was not sorted')
  expect(checked.map((text) => text.match(/^[a-e](?=,)/gm)?.join(''))).toEqual(['abcde', 'ace', 'ae'])
  expect(await textOf(sorted.right)).toBe('email,last name\na,1\ne,5\n')
  // However many rounds there were, a problem has its line of the file.
  expect(sorted.problems.map(({ line, value }) => [line, value])).toEqual([
    [3, 'b'],
    [4, 'c'],
    [5, 'd'],
  ])
  expect([sorted.wrongRows, sorted.wrong.split('\r\n').slice(1)]).toEqual([
    3,
    ['b,2,email is wrong in 3', 'd,4,email is wrong in 5', 'c,3,email is wrong in 3', ''],
  ])
})

test('what is never right is given up', async () => {
  const always: ImportOutcome = {
    kind: 'invalid',
    problems: [{ line: 2, field: 'email', message: 'is wrong' }],
  }
  const text = `email\n${'x@example.com\n'.repeat(20)}`
  expect(await sortOut(inPieces(text, 100), rules, async () => always)).toHaveProperty('message')
})

test('lines are those of the file, whatever is taken out before them: random files', async () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 40; round += 1) {
    // Rows of one to three lines, and blank ones. A row is wrong in one of four rounds, or never.
    const rows = Array.from({ length: 12 }, (_, at) => ({
      text: `${random(2) === 0 ? '' : '\n'}r${at},"${'x\n'.repeat(random(3))}"`,
      wrongIn: [0, 1, 2, 3][random(5)] ?? Infinity,
    }))
    const text = `email,last name\n${rows.map((row) => row.text).join('\n')}\n`
    const lineOf = (content: string, at: number) =>
      content.slice(0, content.indexOf(`r${at},`)).split('\n').length
    let checks = 0
    const sorted = await sortOut(inPieces(text, 5), rules, async (source) => {
      const content = await textOf(source)
      const left = [...rows.entries()].filter(
        ([at, { wrongIn }]) => wrongIn === checks && content.includes(`r${at},`),
      )
      checks += 1
      if (left.length === 0 && checks > 3)
        return {
          ...{ kind: 'checked', read: 0, skipped: 0, changed: 0, unchanged: 0, fresh: null, merged: null },
          warnings: [],
        }
      const problems = left.map(([at]) => ({
        line: lineOf(content, at),
        field: 'email',
        message: `is ${at}`,
      }))
      return { kind: 'invalid', problems }
    })
    if (!('right' in sorted)) throw new Error('It was not sorted')
    const naive = [...rows.entries()]
      .filter(([, { wrongIn }]) => wrongIn < 4)
      .map(([at]) => ({ line: lineOf(text, at), head: 'email', value: `r${at}`, message: `is ${at}` }))
    expect(sorted.problems).toMatchObject(naive)
    expect(sorted.wrongRows).toBe(naive.length)
  }
})

test('a problem has the head of its column and its cell, but never of a kind that has a secret', async () => {
  const problems: readonly ImportProblem[] = [
    { line: 1, field: 'email', message: 'is said of the header' },
    { line: 3, field: 'tags.0', message: 'a' },
    { line: 3, field: 'phone', message: 'b' },
    { line: 3, field: 'attributes.birthday', message: 'c' },
    { line: 3, field: 'lastName', message: 'd' },
    { line: 3, field: 'contactId', message: 'e' },
    { line: 3, field: '(line)', message: 'f' },
  ]
  const source = inPieces('email;Etiketten;Ruf-\tNummer;Geburtstag;Nachname\n\nx;[1];"1\n2";;  \n', 3)
  const mapping = { 'Ruf-\tNummer': 'phone', Geburtstag: 'attributes.birthday' }
  const told = async (more: object, found = problems) => {
    const { problems: placed } = await importWhole(source, { ...rules, mapping, ...more }, async () => ({
      kind: 'invalid',
      problems: found,
    }))
    return placed.map(({ head, value }) => [head, value])
  }
  expect(await told({})).toEqual([
    ['email', null],
    ['Etiketten.0', '[1]'],
    ['Ruf- Nummer', '1\n2'],
    ['Geburtstag', null],
    ['Nachname', null],
    ['contactId', null],
    ['(line)', null],
  ])
  const secret = { columns: { ...rules.columns, secretField: 'phone' } }
  expect((await told(secret)).map(([, value]) => value)).toEqual(problems.map(() => null))
  // Of a file without columns, and of one without a header, there is the field alone.
  const plain = await importWhole(source, null, async () => ({ kind: 'invalid', problems }))
  expect(plain.problems.map(({ head }) => head)).toEqual(problems.map(({ field }) => field))
  expect(await told({}, [{ line: 1, field: 'email', message: 'is twice' }])).toEqual([['email', null]])
})

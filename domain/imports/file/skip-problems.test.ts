import { expect, test } from 'vitest'
import { toolsWithoutSecrets } from '../../../host-worker/http/imports.ts'
import type { ImportProblem } from '../../../ports/import-sessions.ts'
import { utf8 } from '../../text/encoding.ts'
import { kindOf } from '../kinds.ts'
import { standingRecords } from './csv.ts'
import { sortOut } from './skip-problems.ts'
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

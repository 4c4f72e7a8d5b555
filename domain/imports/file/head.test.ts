import { expect, it } from 'vitest'
import { utf8 } from '../../text/encoding.ts'
import { columnsOf, readHead } from './csv.ts'
import type { HeaderRules } from './header.ts'

const names = ['contactId', 'firstName', 'email']
const columns = {
  names,
  secretField: null,
  typeOf: () => 'text' as const,
  problemOf: (field: string) => (names.includes(field) ? null : 'is not known.'),
}
const rules = (mapping: HeaderRules['mapping'] = {}): HeaderRules => ({ columns, mapping })

function headOf(text: string, isWhole = true) {
  return readHead(utf8(text), isWhole, rules())
}

it.each([
  ['a byte order mark, semicolons and CRLF', '\uFEFFContact ID;Mail\r\nc-1;a@b.c\r\n', ';'],
  ['tabs and line feeds', 'contact_id\tMail\nc-1\ta@b.c', '\t'],
  ['carriage returns alone', 'CONTACTID,Mail\rc-1,a@b.c\r', ','],
  ['a line that announces semicolons', 'sep=;\r\ncontactId;"Mail"\r\nc-1;a@b.c\r\n', ';'],
  ['a quoted one that announces tabs', '\uFEFF"SEP=\t"\ncontactId\tMail\nc-1\ta@b.c', '\t'],
  ['one that announces commas', 'sep=,\ncontactId,Mail\nc-1,a@b.c', ','],
  ['blank lines before it', '\n,\ncontactId,Mail\nc-1,a@b.c\n', ','],
])('finds columns and the first row behind %s', (_what, text, delimiter) => {
  expect(headOf(text)).toMatchObject({ delimiter, rows: [['c-1', 'a@b.c']] })
})

it('reads quoted cells over several lines, in the header too', () => {
  expect(headOf('contactId,"Mail\naddress"\nc-1,"a,b\nc"\n')).toEqual({
    ...{ delimiter: ',', cells: ['contactId', 'Mail\naddress'], rows: [['c-1', 'a,b\nc']] },
  })
})

it('has no first row when there is none, or it is cut or broken', () => {
  for (const text of [
    'contactId,Mail',
    'contactId,Mail\n',
    'contactId,Mail\n"c-1',
    'contactId,Mail\nc-1,a"b\n',
  ])
    expect(headOf(text)).toMatchObject({ cells: ['contactId', 'Mail'], rows: [] })
})

it('has the first five rows, and of a cut or broken one only those before', () => {
  const rows = (text: string) => {
    const head = headOf(text, false)
    return 'rows' in head ? head.rows.map(([first]) => first) : head
  }
  expect(rows(`contactId\n\n${[1, 2, 3, 4, 5, 6].map((row) => `c-${row}\n`).join('')}`)).toEqual(
    [1, 2, 3, 4, 5].map((row) => `c-${row}`),
  )
  expect(rows('contactId,Mail\nc-1,x\nc-2,x\n"c-3')).toEqual(['c-1', 'c-2'])
  expect(rows('contactId,Mail\nc-1,x\nc-2,a"b\nc-3,x\n')).toEqual(['c-1'])
})

it.each([
  ['', 'The file names no columns.'],
  ['\n \n', 'The file names no columns.'],
  ['PK\u0003\u0004', 'The first line begins a workbook'],
  ['"contactId', 'The file names no columns.'],
  ['sep=|\ncontactId|x\n', 'Line 1 announces "|" as the separator. Separate the cells by commas'],
  ['sep=;', 'The file names no columns.'],
  ['contact"Id,x\n', 'Line 1 has a quote inside a cell'],
])('says why %j cannot be read', (text, problem) => {
  const head = headOf(text)
  expect('problem' in head && head.problem).toContain(problem)
})

it('says of each column what it means, or that nobody knows', () => {
  const head = headOf('Contact ID,E-mail address,firstname,Notes\n')
  if (!('cells' in head)) throw new Error(head.problem)
  expect(columnsOf(head, rules({ Notes: '' }))).toMatchObject([
    { column: 'Contact ID', field: 'contactId', problem: null },
    { column: 'E-mail address', field: '', problem: expect.stringContaining('is not known') as unknown },
    { column: 'firstname', field: 'firstName', problem: null },
    { column: 'Notes', field: null, problem: null },
  ])
})

it('maps columns that differ only in how they are written by the name that is exactly theirs', () => {
  const head = headOf('Contact ID,First Name,first_name\n')
  if (!('cells' in head)) throw new Error(head.problem)
  const mapping = { 'First Name': 'email', first_name: '' }
  expect(columnsOf(head, rules(mapping)).map(({ field }) => field)).toEqual(['contactId', 'email', null])
})

import { expect, it } from 'vitest'
import { edited } from '../mutant.ts'
import { parsed } from '../project.ts'
import { changesOf } from './code.ts'

/** What the changes of a kind make of a file's text. */
function made(kind: string, text: string): readonly string[] {
  return changesOf(parsed('file.ts', text))
    .filter((change) => change.kind === kind)
    .map(({ edits }) => edited(text, edits).replace(/\s+/g, ' ').trim())
}

/** What the changes of a kind make of SQL. */
function madeOfSql(kind: string, text: string): readonly string[] {
  return made(kind, `sql\`${text}\``).map((line) => line.slice('sql`'.length, -1).replace(/\s+/g, ' ').trim())
}

it.each([
  ['condition', 'if (a) b', ['b', ';']],
  ['condition', 'if (a) b; else { c }', ['b;', '{ c }']],
  ['condition', 'x = a ? b : c', ['x = (b)', 'x = (c)']],
  ['loop', 'for (const a of b) c', [';']],
  ['operand', 'x = a && b', ['x = (a)', 'x = (b)']],
  ['operand', 'x = a ?? b', ['x = (a)', 'x = (b)']],
  ['operator', 'x = a < b', ['x = a <= b']],
  ['operator', 'x = a === b', ['x = a !== b']],
  ['operator', "x = 'a' + b", []],
  ['operator', 'if (a === b) c', []],
  ['negation', 'x = !a', ['x = a']],
  ['boolean', 'x = true', ['x = false']],
  ['number', 'x = 1', ['x = 2', 'x = 0']],
  ['number', 'x = 5_000', ['x = 10000', 'x = 2500']],
  ['number', 'type X = 5', []],
  ['statement', '{ a(); await b() }', ['{ ; await b() }', '{ a(); ; }']],
  ['exchange', '{ await a(); const c = await b() }', ['{ const c = await b() await a(); }']],
  ['exchange', '{ a(); await b() }', []],
  ['element', 'x = [a, ...b]', ['x = [...b]', 'x = [a, ]']],
  ['element', 'x = { a, b: 1 }', ['x = { b: 1 }', 'x = { a, }']],
  ['call', 'x = a.filter(b).some(c)', ['x = a.filter(b).every(c)', 'x = a.some(c)']],
])('makes mistakes of the kind %s in: %s', (kind, text, expected) => {
  expect(made(kind, text)).toEqual(expected)
})

it.each([
  ['SQL and/or', 'where a = 1 and b = 2', ['where a = 1 or b = 2']],
  ['SQL and/or', 'where a between 1 and 2', []],
  [
    'SQL condition',
    'where a = 1 and b = 2 or c',
    ['where a = 1 or c', 'where b = 2 or c', 'where a = 1 and b = 2'],
  ],
  [
    'SQL condition',
    'where a = (select b from c where d) order by e',
    ['where true order by e', 'where a = (select b from c where true) order by e'],
  ],
  [
    'SQL condition',
    'where ${a} and exists (select 1 from b where c = 1 and d) limit 1',
    [
      'where ${a} limit 1',
      'where exists (select 1 from b where c = 1 and d) limit 1',
      'where ${a} and exists (select 1 from b where c = 1 ) limit 1',
      'where ${a} and exists (select 1 from b where d) limit 1',
    ],
  ],
  ['SQL parentheses', 'where a and (b or c)', ['where a and b or c']],
  ['SQL parentheses', 'where a and (b and c)', []],
  [
    'SQL operator',
    'where a < 1 and b is null and not exists (c)',
    [
      'where a <= 1 and b is null and not exists (c)',
      'where a < 1 and b is not null and not exists (c)',
      'where a < 1 and b is null and exists (c)',
    ],
  ],
  ['SQL number', 'set a = a + 1', ['set a = a + 2']],
  ['SQL number', 'exists (select 1 from a)', []],
  [
    'SQL order',
    'order by a, b desc limit 1',
    ['order by a desc, b desc limit 1', 'order by a, b asc limit 1'],
  ],
  [
    'SQL list',
    'update a set b = 1, c = max(d, 2) where e',
    ['update a set c = max(d, 2) where e', 'update a set b = 1 where e'],
  ],
  ['SQL list', 'select a, b from c', ['select b from c', 'select a from c']],
  [
    'SQL column',
    'insert into a (b, c) values (1, ${d})',
    ['insert into a ( c) values ( ${d})', 'insert into a (b) values (1)'],
  ],
  [
    'SQL column',
    'insert into a (b, c) select d, e from f',
    ['insert into a ( c) select e from f', 'insert into a (b) select d from f'],
  ],
  ['SQL column', 'insert into a (b, c) select ${d} from f', []],
  [
    'SQL join',
    'select distinct a from b left join c',
    ['select a from b left join c', 'select distinct a from b join c'],
  ],
  ['SQL coalesce', 'select coalesce(a, b)', ['select ( b)', 'select (a)']],
  [
    'SQL conflict',
    'on conflict (a) do update set b = 1 where c returning d',
    ['on conflict (a) do nothing returning d'],
  ],
])('makes mistakes of the kind %s in SQL: %s', (kind, text, expected) => {
  expect(madeOfSql(kind, text)).toEqual(expected)
})

it.each([
  ['SQL condition', "a.where('b', '=', c).where(d)", ["a.where('b', '=', c)", 'a.where(d)']],
  [
    'SQL condition',
    "a.leftJoin('b', (j) => j.onRef('c', '=', 'd').on(e))",
    ["a.leftJoin('b', (j) => j.onRef('c', '=', 'd'))", "a.leftJoin('b', (j) => j.on(e))"],
  ],
  ['SQL condition', "process.on('exit', a)", []],
  [
    'SQL order',
    "a.orderBy('b').orderBy('c', 'desc').limit(d)",
    [
      "a.orderBy('b').orderBy('c', 'desc')",
      "a.orderBy('b').limit(d)",
      "a.orderBy('b').orderBy('c', 'asc').limit(d)",
      "a.orderBy('c', 'desc').limit(d)",
      "a.orderBy('b', 'desc').orderBy('c', 'desc').limit(d)",
    ],
  ],
  [
    'SQL join',
    "a.leftJoin('b', 'c', 'd').distinct()",
    ["a.leftJoin('b', 'c', 'd')", "a.innerJoin('b', 'c', 'd').distinct()"],
  ],
  ['SQL join', 'a.unionAll(b)', ['a.union(b)']],
  [
    'SQL conflict',
    'a.onConflict((c) => c.doUpdateSet(b).where(d)).e()',
    ['a.e()', 'a.onConflict((c) => c.doNothing()).e()'],
  ],
  ['SQL operator', "a.where('b', '<', c).where('b', '=', d)", ["a.where('b', '<=', c).where('b', '=', d)"]],
  ['SQL operator', "x = eb('b', 'is', c)", ["x = eb('b', 'is not', c)"]],
  ['SQL operator', 'x = eb.not(a)', ['x = (a)']],
  ['SQL operator', "x = fn('min', [a])", ["x = fn('max', [a])"]],
  ['SQL and/or', 'x = eb.or([a, b])', ['x = eb.and([a, b])']],
  ['SQL and/or', 'a.where(({ or }) => or([b, c]))', ['a.where(({ or, and }) => and([b, c]))']],
  ['SQL and/or', 'a.where(({ and, or }) => or([b, c]))', ['a.where(({ and, or }) => and([b, c]))']],
  ['SQL coalesce', "x = fn.coalesce('a', b)", ["x = sql.ref('a')", 'x = (b)']],
  [
    'SQL column',
    "a.columns(['b', 'c']).expression(d.select([e, f]).where(g))",
    [
      "a.columns(['c']).expression(d.select([f]).where(g))",
      "a.columns(['b', ]).expression(d.select([e, ]).where(g))",
    ],
  ],
  [
    'SQL column',
    "a.columns(['b', 'c']).expression(() => d.select([e]).select(f))",
    [
      "a.columns(['c']).expression(() => d.select([]).select(f))",
      "a.columns(['b', ]).expression(() => d.select([e]))",
    ],
  ],
  ['SQL column', "a.columns(['b', 'c']).expression(d)", []],
  ['element', "a.columns(['b', 'c']).expression(d.select([e, f]))", []],
])('makes mistakes of the kind %s in a statement of the query builder: %s', (kind, text, expected) => {
  expect(made(kind, text)).toEqual(expected)
})

it('takes for SQL what is tagged so, and texts that begin as a statement does', () => {
  expect(made('SQL number', 'x = other`limit 5`')).toEqual([])
  expect(made('SQL number', "x = 'select the first 5 of them'")).toHaveLength(1)
  expect(made('SQL number', "x = 'The first 5'")).toEqual([])
})

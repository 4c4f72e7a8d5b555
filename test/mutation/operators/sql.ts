import type { Change, Edit } from '../mutant.ts'
import { HOLE, type SqlToken } from './sql-tokens.ts'

/** Words that end a condition or a list at the same depth. */
const CLAUSES = new Set(
  'where order group having limit union returning on set from join left values do then else end when begin select insert ;'.split(
    ' ',
  ),
)
const EXCHANGED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '<>': '=',
  '!=': '=',
  min: 'max',
  max: 'min',
  '+': '-',
  '-': '+',
}

type Tokens = readonly SqlToken[]
type Operator = (tokens: Tokens, at: number) => readonly (readonly Edit[])[]

const operators: Readonly<Record<string, Operator>> = {
  'SQL and/or'(tokens, at) {
    return isConnective(tokens, at)
      ? [[put(tokens, at, at, wordAt(tokens, at) === 'and' ? 'or' : 'and')]]
      : []
  },

  'SQL condition'(tokens, at) {
    if (isConnective(tokens, at)) {
      const before = startOfOperand(tokens, at)
      const isFirst = !isConnective(tokens, before - 1)
      return [
        [put(tokens, at, endOfOperand(tokens, at), '')],
        ...(isFirst ? [[put(tokens, before, at, '')]] : []),
      ]
    }
    if (wordAt(tokens, at) !== 'where') return []
    const end = endOfOperand(tokens, at)
    return end === at || isConnective(tokens, end + 1) ? [] : [[put(tokens, at + 1, end, 'true')]]
  },

  'SQL parentheses'(tokens, at) {
    if (wordAt(tokens, at) !== '(') return []
    const close = closing(tokens, at)
    const inside = range(at + 1, close).filter((index) =>
      isConnective(tokens, index, depthAt(tokens, at) + 1),
    )
    const beside = [at - 1, close + 1]
      .filter((index) => isConnective(tokens, index))
      .map((index) => wordAt(tokens, index))
    const isNot = wordAt(tokens, at - 1) === 'not'
    const matters = inside.some((index) => isNot || beside.some((word) => word !== wordAt(tokens, index)))
    return matters ? [[put(tokens, at, at, ' '), put(tokens, close, close, ' ')]] : []
  },

  'SQL operator'(tokens, at) {
    const word = wordAt(tokens, at)
    if (word === 'is') {
      const isNot = wordAt(tokens, at + 1) === 'not'
      return [[put(tokens, at, isNot ? at + 1 : at, isNot ? 'is' : 'is not')]]
    }
    if (word === 'not' && ['in', 'exists', 'like', '(', HOLE].includes(wordAt(tokens, at + 1)))
      return [[put(tokens, at, at, '')]]
    const other = Object.hasOwn(EXCHANGED, word) ? EXCHANGED[word] : undefined
    // A plus or minus sign that has nothing on its left is no operator between two values.
    const isSign =
      (word === '+' || word === '-') && /^(?:[(,=<>]|limit|offset|)$/.test(wordAt(tokens, at - 1))
    return other === undefined || isSign ? [] : [[put(tokens, at, at, other)]]
  },

  'SQL number'(tokens, at) {
    const word = wordAt(tokens, at)
    const isPlaceholder = wordAt(tokens, at - 1) === 'select'
    return /^\d+$/.test(word) && !isPlaceholder ? [[put(tokens, at, at, String(Number(word) + 1))]] : []
  },

  'SQL order'(tokens, at) {
    if (wordAt(tokens, at) !== 'by' || wordAt(tokens, at - 1) !== 'order') return []
    return itemsAfter(tokens, at).flatMap(([, end]) => {
      const last = wordAt(tokens, end)
      if (last === HOLE) return []
      if (last === 'desc' || last === 'asc') return [[put(tokens, end, end, last === 'asc' ? 'desc' : 'asc')]]
      const after = tokens[end]?.end ?? 0
      return [[{ start: after, end: after, text: ' desc' }]]
    })
  },

  'SQL list'(tokens, at) {
    const word = wordAt(tokens, at)
    const isList =
      word === 'set' ||
      word === 'returning' ||
      word === 'by' ||
      (word === 'select' && !feedsInsert(tokens, at))
    return isList ? withoutEach(tokens, itemsAfter(tokens, at)).map((edit) => [edit]) : []
  },

  'SQL column'(tokens, at) {
    if (wordAt(tokens, at) !== 'insert') return []
    const open = range(at, tokens.length).find((index) => wordAt(tokens, index) === '(')
    if (open === undefined) return []
    const columns = itemsAfter(tokens, open)
    const close = closing(tokens, open)
    const isValues = wordAt(tokens, close + 1) === 'values'
    if (!isValues && wordAt(tokens, close + 1) !== 'select') return []
    const values = itemsAfter(tokens, isValues ? close + 2 : close + 1)
    if (columns.length !== values.length) return []
    const given = withoutEach(tokens, values)
    return withoutEach(tokens, columns).flatMap((edit, index) => {
      const value = given[index]
      return value === undefined ? [] : [[edit, value]]
    })
  },

  'SQL join'(tokens, at) {
    const [word, next] = [wordAt(tokens, at), wordAt(tokens, at + 1)]
    const isDropped =
      (word === 'left' && next === 'join') ||
      (word === 'union' && next === 'all') ||
      (word === 'distinct' && next !== 'from')
    if (!isDropped) return []
    return [[word === 'union' ? put(tokens, at, at + 1, 'union') : put(tokens, at, at, '')]]
  },

  'SQL coalesce'(tokens, at) {
    if (wordAt(tokens, at) !== 'coalesce' || wordAt(tokens, at + 1) !== '(') return []
    const rest = withoutEach(tokens, itemsAfter(tokens, at + 1))
    // A call with one argument would be an error that no test could miss.
    return rest.map((edit) => (rest.length === 2 ? [put(tokens, at, at, ''), edit] : [edit]))
  },

  'SQL conflict'(tokens, at) {
    if (wordAt(tokens, at) !== 'do' || wordAt(tokens, at + 1) !== 'update') return []
    const end = range(at, tokens.length).find(
      (index) =>
        ['returning', ';'].includes(wordAt(tokens, index)) || depthAt(tokens, index) < depthAt(tokens, at),
    )
    return [[put(tokens, at, (end ?? tokens.length) - 1, 'do nothing')]]
  },
}

/** The changes of a text of SQL. */
export function sqlChanges(tokens: Tokens): readonly Change[] {
  return Object.entries(operators).flatMap(([kind, operator]) =>
    tokens.flatMap((_token, at) => operator(tokens, at).map((edits) => ({ kind, edits }))),
  )
}

function wordAt(tokens: Tokens, at: number): string {
  return tokens[at]?.text ?? ''
}

function depthAt(tokens: Tokens, at: number): number {
  return tokens[at]?.depth ?? -1
}

/** The edit that replaces the tokens from `first` to `last`. */
function put(tokens: Tokens, first: number, last: number, text: string): Edit {
  return { start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0, text }
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
}

/** Whether the token is an `and` or `or` between conditions; the `and` of `between` is none. */
function isConnective(tokens: Tokens, at: number, depth = depthAt(tokens, at)): boolean {
  if (depthAt(tokens, at) !== depth) return false
  if (wordAt(tokens, at) === 'or') return wordAt(tokens, at - 1) !== 'insert'
  if (wordAt(tokens, at) !== 'and') return false
  const before = range(0, at).findLast(
    (index) => depthAt(tokens, index) === depth && ['and', 'between'].includes(wordAt(tokens, index)),
  )
  return before === undefined || wordAt(tokens, before) !== 'between'
}

/** The last token of the condition that begins after `at`; `at` when there is none. */
function endOfOperand(tokens: Tokens, at: number): number {
  const depth = depthAt(tokens, at)
  const end = range(at + 1, tokens.length).find(
    (index) =>
      depthAt(tokens, index) < depth ||
      (depthAt(tokens, index) === depth &&
        (isConnective(tokens, index) || CLAUSES.has(wordAt(tokens, index)) || wordAt(tokens, index) === ',')),
  )
  return (end ?? tokens.length) - 1
}

/** The first token of the condition that ends before `at`. */
function startOfOperand(tokens: Tokens, at: number): number {
  const depth = depthAt(tokens, at)
  const before = range(0, at).findLast(
    (index) =>
      depthAt(tokens, index) < depth ||
      (depthAt(tokens, index) === depth &&
        (isConnective(tokens, index) || CLAUSES.has(wordAt(tokens, index)) || wordAt(tokens, index) === ',')),
  )
  return (before ?? -1) + 1
}

/** The parenthesis that closes the one at `open`; the last token when it is closed elsewhere. */
function closing(tokens: Tokens, open: number): number {
  const depth = depthAt(tokens, open)
  const close = range(open + 1, tokens.length).find(
    (index) => wordAt(tokens, index) === ')' && depthAt(tokens, index) === depth,
  )
  return close ?? tokens.length - 1
}

/** The items of the list that begins after a word or an opening parenthesis: their first and last tokens. */
function itemsAfter(tokens: Tokens, at: number): readonly (readonly [number, number])[] {
  const isOpen = wordAt(tokens, at) === '('
  const depth = depthAt(tokens, at) + (isOpen ? 1 : 0)
  const items: [number, number][] = []
  let start = at + 1
  for (let index = at + 1; index <= tokens.length; index += 1) {
    const isOutside = depthAt(tokens, index) < depth
    const isEnd =
      isOutside || (depthAt(tokens, index) === depth && !isOpen && CLAUSES.has(wordAt(tokens, index)))
    if (isEnd || (depthAt(tokens, index) === depth && wordAt(tokens, index) === ',')) {
      if (index > start) items.push([start, index - 1])
      start = index + 1
    }
    if (isEnd) break
  }
  return items
}

/** One edit for each item of a list of several: the list without it. */
function withoutEach(tokens: Tokens, items: readonly (readonly [number, number])[]): readonly Edit[] {
  if (items.length < 2) return []
  return items.flatMap(([start, end], index) => {
    // After the last item, an interpolated piece may hold the next clause.
    const isMore = end > start && wordAt(tokens, end) === HOLE
    if (isMore) return []
    return index === 0 ? [put(tokens, start, end + 1, '')] : [put(tokens, start - 1, end, '')]
  })
}

/** Whether a `select` gives the values of an `insert`, whose columns must be as many. */
function feedsInsert(tokens: Tokens, at: number): boolean {
  const isInsert = range(0, at).some((index) => wordAt(tokens, index) === 'insert')
  return isInsert && depthAt(tokens, at) === 0
}

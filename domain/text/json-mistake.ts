/** The first mistake in a text that is not JSON. */
interface JsonMistake {
  /** The position in the text, in UTF-16 units. At the end of the text: its length. */
  readonly offset: number
  /** Both count from 1; a column is a UTF-16 unit, as editors count. */
  readonly line: number
  readonly column: number
  /** What was found or expected, without any of the text, which may hold a password. */
  readonly problem: string
}

/** A list or an object that is not closed yet. */
interface Open {
  readonly close: ']' | '}'
  readonly at: number
}

const VALUE = 'a value was expected: text in double quotes, a number, true, false, null, { or ['
const NAME = 'a name in double quotes was expected'
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /(?:true|false|null)(?![\w$])/y
const SPACE = /[ \t\r\n]*/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * Finds the first mistake in a text by the grammar of JSON (RFC 8259); null: the text is JSON. The parsers of JavaScript
 * engines tell no position, or each in its own words. It needs no stack, so a text may be nested as deeply as it likes.
 */
export function mistakeIn(text: string): JsonMistake | null {
  const open: Open[] = []
  let at = skip(SPACE, text, 0)
  let expected: 'value' | 'first value' | 'name' | 'first name' | 'end of value' = 'value'
  const wrong = (problem: string, offset = at): JsonMistake => placed(text, offset, problem)
  for (;;) {
    const found = text[at]
    const inner = open.at(-1)
    if (expected === 'end of value' && inner === undefined)
      return found === undefined ? null : wrong(strange(found, text, at) ?? 'nothing more was expected')
    if (found === undefined) return wrong(endProblem(text, open))
    const isFirst = expected === 'first value' || expected === 'first name'
    const closes = found === inner?.close && (isFirst || expected === 'end of value')
    if (closes) {
      open.pop()
      at += 1
      expected = 'end of value'
    } else if (expected === 'end of value') {
      if (found !== ',')
        return wrong(strange(found, text, at) ?? `a comma or ${inner?.close ?? ''} was expected`)
      const comma = at
      at = skip(SPACE, text, at + 1)
      if (text[at] === inner?.close)
        return wrong(`there is a comma too many before the ${inner?.close}`, comma)
      expected = inner?.close === '}' ? 'name' : 'value'
    } else if (expected === 'name' || expected === 'first name') {
      if (found !== '"') return wrong(strange(found, text, at) ?? (isFirst ? `${NAME}, or }` : NAME))
      const name = readString(text, at)
      if (typeof name !== 'number') return wrong(name.problem, name.offset)
      at = skip(SPACE, text, name)
      if (text[at] === undefined) return wrong(endProblem(text, open))
      if (text[at] !== ':') return wrong('a colon was expected after the name')
      at += 1
      expected = 'value'
    } else if (found === '{' || found === '[') {
      open.push({ close: found === '{' ? '}' : ']', at })
      at += 1
      expected = found === '{' ? 'first name' : 'first value'
    } else {
      const value = readValue(text, at)
      if (typeof value !== 'number') return wrong(value.problem, value.offset)
      at = value
      expected = 'end of value'
    }
    at = skip(SPACE, text, at)
  }
}

/** Where a mistake is, and what it is: `line 7, column 3: a comma or } was expected`. */
export function mistakeText({ line, column, problem }: JsonMistake): string {
  return `line ${line}, column ${column}: ${problem}`
}

type Mistake = Pick<JsonMistake, 'offset' | 'problem'>

/** The position behind a text, a number or a word. */
function readValue(text: string, at: number): number | Mistake {
  const found = text[at] ?? ''
  if (found === '"') return readString(text, at)
  const word = skip(WORD, text, at)
  if (word > at) return word
  const number = skip(NUMBER, text, at)
  const next = text[number] ?? ''
  if (number > at && !/[\w.+-]/.test(next)) return number
  const isNumber = /[\d+.-]/.test(found)
  const problem = isNumber ? 'a number is written such as 12, -0.5 or 6e23' : VALUE
  return { offset: at, problem: strange(found, text, at) ?? problem }
}

/** The position behind a text in double quotes. */
function readString(text: string, start: number): number | Mistake {
  for (let at = start + 1; ;) {
    at = skip(PLAIN, text, at)
    const found = text[at]
    if (found === '"') return at + 1
    if (found === undefined)
      return { offset: start, problem: 'the text that begins here has no closing quote' }
    const escape = skip(ESCAPE, text, at)
    if (escape > at) {
      at = escape
      continue
    }
    if (found === '\\') return { offset: at, problem: 'a backslash in a text is written \\\\' }
    const isBreak = found === '\n' || found === '\r'
    const problem = isBreak
      ? 'a text ends in the line in which it begins: close the quote, or write a line break as \\n'
      : 'a text has no tabs and no control characters: write a tab as \\t'
    return { offset: at, problem }
  }
}

/** What is said of characters that people often write in JSON, and that it does not have. Null: nothing in particular. */
function strange(found: string, text: string, at: number): string | null {
  const next = text[at + 1]
  if (found === "'") return 'names and texts are in double quotes, not in single ones'
  if ('“”„‘’«»`'.includes(found)) return 'names and texts are in straight double quotes (")'
  if (found === '#' || (found === '/' && (next === '/' || next === '*'))) return 'JSON has no comments'
  if (found === '\u0000') return 'there is a NUL character: save the text as UTF-8'
  if (found === '\uFEFF') return 'there is a byte order mark, which JSON does not have'
  if (found === '\uFFFD') return 'there is a character that cannot be read: save the text as UTF-8'
  return /\s/.test(found) ? 'there is a space that JSON does not have, such as a no-break space' : null
}

function endProblem(text: string, open: readonly Open[]): string {
  const inner = open.at(-1)
  if (inner === undefined) return text.trim() === '' ? 'the text is empty' : VALUE
  const { line, column } = placed(text, inner.at, '')
  const opening = inner.close === '}' ? '{' : '['
  return `the text ends here, but ${inner.close} is missing for the ${opening} in line ${line}, column ${column}`
}

/** The position behind what a pattern matches at a position: the same one when it does not match. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function placed(text: string, offset: number, problem: string): JsonMistake {
  const before = text.slice(0, offset)
  const breaks = [...before.matchAll(/\r\n?|\n/g)]
  const last = breaks.at(-1)
  const lineStart = last === undefined ? 0 : last.index + last[0].length
  return { offset, line: breaks.length + 1, column: offset - lineStart + 1, problem }
}

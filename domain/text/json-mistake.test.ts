import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mistakeIn, mistakeText } from './json-mistake.ts'

const VALUE = 'a value was expected: text in double quotes, a number, true, false, null, { or ['
const QUOTES = 'names and texts are in double quotes, not in single ones'
const NUMBER = 'a number is written such as 12, -0.5 or 6e23'

test.each<[string, string]>([
  ['', 'line 1, column 1: the text is empty'],
  ['{"a": 1\n  "b": 2}', 'line 2, column 3: a comma or } was expected'],
  ['[1 2]', 'line 1, column 4: a comma or ] was expected'],
  ['{\r\n  "a": [1,\r\n  ],\r\n}', 'line 2, column 10: there is a comma too many before the ]'],
  ['{"a": 1,}', 'line 1, column 8: there is a comma too many before the }'],
  ['[1,,2]', `line 1, column 4: ${VALUE}`],
  ['{,}', 'line 1, column 2: a name in double quotes was expected, or }'],
  ["{'a': 1}", `line 1, column 2: ${QUOTES}`],
  ['{"a": \'x\'}', `line 1, column 7: ${QUOTES}`],
  ['{“a”: 1}', 'line 1, column 2: names and texts are in straight double quotes (")'],
  ['{a: 1}', 'line 1, column 2: a name in double quotes was expected, or }'],
  ['{"a": 1, b: 2}', 'line 1, column 10: a name in double quotes was expected'],
  ['{"a" 1}', 'line 1, column 6: a colon was expected after the name'],
  ['{"a": 1 // x\n}', 'line 1, column 9: JSON has no comments'],
  ['/* x */ {}', 'line 1, column 1: JSON has no comments'],
  ['# x\n{}', 'line 1, column 1: JSON has no comments'],
  ['{"a": {"b": [1, 2}', 'line 1, column 18: a comma or ] was expected'],
  [
    '{\n  "a": {\n    "b": 1\n  }\n',
    'line 5, column 1: the text ends here, but } is missing for the { in line 1, column 1',
  ],
  ['[[1]', 'line 1, column 5: the text ends here, but ] is missing for the [ in line 1, column 1'],
  ['{"a"', 'line 1, column 5: the text ends here, but } is missing for the { in line 1, column 1'],
  ['{"a":', 'line 1, column 6: the text ends here, but } is missing for the { in line 1, column 1'],
  ['{}}', 'line 1, column 3: nothing more was expected'],
  ['{} {}', 'line 1, column 4: nothing more was expected'],
  ['["a]', 'line 1, column 2: the text that begins here has no closing quote'],
  [
    '["a\nb"]',
    'line 1, column 4: a text ends in the line in which it begins: close the quote, or write a line break as \\n',
  ],
  ['["a\tb"]', 'line 1, column 4: a text has no tabs and no control characters: write a tab as \\t'],
  ['["C:\\x"]', 'line 1, column 5: a backslash in a text is written \\\\'],
  ['[True]', `line 1, column 2: ${VALUE}`],
  ['[nulls]', `line 1, column 2: ${VALUE}`],
  ['[undefined]', `line 1, column 2: ${VALUE}`],
  ['[01]', `line 1, column 2: ${NUMBER}`],
  ['[.5]', `line 1, column 2: ${NUMBER}`],
  ['[+1]', `line 1, column 2: ${NUMBER}`],
  ['[1.]', `line 1, column 2: ${NUMBER}`],
  ['[0x1F]', `line 1, column 2: ${NUMBER}`],
  ['\uFEFF{}', 'line 1, column 1: there is a byte order mark, which JSON does not have'],
  ['{\u0000"\u0000', 'line 1, column 2: there is a NUL character: save the text as UTF-8'],
  ['\uFFFD\uFFFD{', 'line 1, column 1: there is a character that cannot be read: save the text as UTF-8'],
  ['{\u00A0"a": 1}', 'line 1, column 2: there is a space that JSON does not have, such as a no-break space'],
  ['\r\r[', 'line 3, column 2: the text ends here, but ] is missing for the [ in line 3, column 1'],
])('%j', (text, said) => {
  const mistake = mistakeIn(text)
  expect(mistake === null ? null : mistakeText(mistake)).toBe(said)
})

test('finds a mistake where the parser does, and nowhere else', () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', ']', '{', '\\', '0', '-', 'e', '\n', "'", ':'),
    )
    .map(([text, place, put]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + put + text.slice(at + (place % 2))
    })
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => {
      const mistake = mistakeIn(text)
      expect([text, mistake === null]).toEqual([text, isJson(text)])
      // What comes before the mistake is not at fault: with the right end it is JSON, or the end is what is missing.
      expect(mistake === null || mistake.offset <= text.length).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('a text that is nested very deeply costs no stack, and a long one little time', () => {
  expect(mistakeIn('['.repeat(1_000_000))?.column).toBe(1_000_001)
  expect(mistakeIn(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeNull()
  expect(mistakeIn(`["${'a'.repeat(1_000_000)}"`)?.column).toBe(1_000_004)
})

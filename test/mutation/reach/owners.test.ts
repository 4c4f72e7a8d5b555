import { expect, it } from 'vitest'
import { parsed } from '../project.ts'
import { nodeAt, ownerOf } from './owners.ts'

it.each([
  ['a function', 'function a() { x() }', 'function a() { x() }'],
  ['the innermost function', 'const a = () => b(() => x())', '() => x()'],
  ['a statement of the file', 'const a = b(x)', 'const a = b(x)'],
  [
    'the statement whose value a function builds',
    'const a = b(() => c(() => x))',
    'const a = b(() => c(() => x))',
  ],
  ['a function that is kept in a value', 'const a = { b: () => x }', '() => x'],
  ['a function that no variable is built with', 'b(() => x)', '() => x'],
])('finds that %s runs the code', (_, text, owner) => {
  const source = parsed('file.ts', text)
  const start = text.indexOf('x')
  expect(ownerOf(nodeAt(source, start, start + 1)).getText(source)).toBe(owner)
})

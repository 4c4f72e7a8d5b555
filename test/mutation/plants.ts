import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The tests of the golden table, which notice what is planted in the records. */
export const GOLDEN_TABLE = ['document', 'golden', 'figures', 'imports'].map(
  (name) => `test/contract/golden/${name}.test.ts`,
)

/** A mistake that somebody planted by hand. */
interface Plant {
  /** The test files that must notice it. */
  readonly tests: readonly string[]
  readonly file: string
  readonly from: string
  readonly to: string
}

/**
 * Reads the list: a file's path at the margin, and its mistakes below, each `from` and `to` on a line, in which `\n` is a
 * line break. `tests` at the margin names the tests of what follows.
 */
function plantsIn(list: string): readonly Plant[] {
  let tests: readonly string[] = GOLDEN_TABLE
  let file = ''
  return list.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return []
    if (line.startsWith('tests ')) tests = line.split(' ').slice(1)
    else if (!line.startsWith(' ')) file = line
    const [from, to] = line
      .replaceAll('\\n', '\n')
      .trim()
      .split(/ ==> ?/)
    return from === undefined || to === undefined ? [] : [{ tests, file, from, to }]
  })
}

/** All that are planted. */
export const plants: readonly Plant[] = plantsIn(
  readFileSync(join(import.meta.dirname, 'planted.txt'), 'utf8'),
)

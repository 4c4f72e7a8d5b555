import type { CommandWords } from '../../../domain/record/operation/command.ts'
import { serviceFlags } from '../command/command.ts'

/** A word that can come next, and what it does. */
export interface Candidate {
  readonly word: string
  readonly does?: string
}

/**
 * What can come next at one point of a command line. The point is named by the words before it: `org`, `org create`; a
 * flag whose value comes next: `org create --place`; or the number of a positional argument: `import <1>`.
 */
export interface Entry {
  readonly at: string
  /** The words; `files`: the path of a file. Empty: any text. */
  readonly next: readonly Candidate[] | 'files'
}

/** Every point of the command lines at which something is known of what comes next. */
export function completionEntries(commands: readonly CommandWords[]): readonly Entry[] {
  const firsts = [...new Set(commands.map(({ words: [first = ''] }) => first))]
  const begun = firsts.flatMap((first) => {
    const group = commands.filter(({ words }) => words[0] === first && words.length > 1)
    const next = group.map(({ words, summary }) => ({ word: words[1] ?? '', does: summary }))
    return next.length === 0 ? [] : [{ at: first, next }]
  })
  const start = firsts.map((word) => {
    const alone = commands.find(({ words }) => words.length === 1 && words[0] === word)
    return { word, does: alone?.summary ?? '' }
  })
  const always = [{ word: 'help', does: 'Explain a command' }, { word: '--version' }]
  return [{ at: '', next: [...start, ...always] }, ...begun, ...commands.flatMap(entriesOf)]
}

function entriesOf({ words, positionals, choices = {}, flags }: CommandWords): readonly Entry[] {
  const at = words.join(' ')
  const all = { ...flags, ...serviceFlags }
  const names = [...Object.keys(all), 'help'].map((name) => ({ word: `--${name}` }))
  const values = Object.entries(all).flatMap(([name, flag]) =>
    flag.value === null ? [] : [{ at: `${at} --${name}`, next: valuesOf(flag.value, flag.choices) }],
  )
  const arguments_ = positionals.map((name, index) => {
    return { at: `${at} <${index + 1}>`, next: valuesOf(name, choices[name] ?? null) }
  })
  return [{ at, next: names }, ...values, ...arguments_]
}

/** What can stand for a placeholder. */
function valuesOf(placeholder: string, choices: readonly string[] | null): Entry['next'] {
  if (/FILE\]?$|^DIR$/.test(placeholder)) return 'files'
  return (choices ?? []).map((word) => ({ word }))
}

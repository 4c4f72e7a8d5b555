import { isAscii, withoutFormatCharacters } from '../text/typed-text.ts'

// What an organization's people mark teaches a small Bayes filter. It knows words by numbers that many words share, so that
// it never grows, and that nothing anybody wrote can be read from it.

/** How many numbers words have. */
const NUMBERS = 4_096
/** How many different words of a submission count. */
const WORDS_MAX = 300
const WORD = /[\p{L}\p{N}]{3,30}/gu

/**
 * The different words of the texts among answers, as numbers, in ascending order. Links are words by their parts.
 * @param extra what was sent besides the answers; null: nothing
 */
export function wordsOf(
  answers: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, string>> | null = null,
): readonly number[] {
  const texts = [...Object.values(answers), ...Object.values(extra ?? {})].filter(
    (said) => typeof said === 'string',
  )
  const text = texts.join('\n')
  const written = isAscii(text) ? text : withoutFormatCharacters(text.normalize('NFKC'))
  const words = new Set(written.toLowerCase().match(WORD))
  return [...new Set([...words].slice(0, WORDS_MAX).map(numberOf))].sort((left, right) => left - right)
}

/** The number of a word, by FNV-1a. */
function numberOf(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index += 1)
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193) >>> 0
  return ((hash ^ (hash >>> 16)) >>> 0) % NUMBERS
}

/** What was learned: how many submissions were marked as each, and in how many of them each word was. */
export interface SpamModel {
  readonly spam: number
  readonly clean: number
  /** By the numbers of words: in how many of spam, and of what is clean. */
  readonly inSpam: readonly number[]
  readonly inClean: readonly number[]
}

const UNTAUGHT: SpamModel = {
  spam: 0,
  clean: 0,
  inSpam: Array<number>(NUMBERS).fill(0),
  inClean: Array<number>(NUMBERS).fill(0),
}

/** What somebody said of a submission. */
export interface Lesson {
  readonly words: readonly number[]
  /** What they had said before, which they take back; null: nothing. */
  readonly before: boolean | null
  readonly isSpam: boolean
}

/** The model after lessons; null: nothing was learned before. */
export function taught(model: SpamModel | null, lessons: readonly Lesson[]): SpamModel {
  const { spam, clean, inSpam, inClean } = model ?? UNTAUGHT
  const counts = { spam, clean, inSpam: [...inSpam], inClean: [...inClean] }
  const count = (words: readonly number[], isSpam: boolean, by: 1 | -1) => {
    const key = isSpam ? 'spam' : 'clean'
    counts[key] = Math.max(0, counts[key] + by)
    const list = isSpam ? counts.inSpam : counts.inClean
    for (const word of words) list[word] = Math.max(0, (list[word] ?? 0) + by)
  }
  for (const { words, before, isSpam } of lessons) {
    if (before === isSpam) continue
    if (before !== null) count(words, before, -1)
    count(words, isSpam, 1)
  }
  return counts
}

/** So many submissions must have been marked as each before the model judges. */
const TAUGHT_MIN = 5

/** The greatest weight of one word, so that no few of them decide. */
const WEIGHT_MAX = 2_000

/**
 * How much each word speaks for spam, by its number, as 1,000 times the natural logarithm of how much likelier it is in
 * spam; below zero it speaks against. A word that was met once says nothing.
 */
export function weightsOf({ spam, clean, inSpam, inClean }: SpamModel): readonly number[] {
  if (spam < TAUGHT_MIN || clean < TAUGHT_MIN) return []
  return inSpam.map((count, word) => {
    const other = inClean[word] ?? 0
    if (count + other < 2) return 0
    const weight = Math.round(1_000 * Math.log(((count + 1) / (spam + 2) / (other + 1)) * (clean + 2)))
    return Math.max(-WEIGHT_MAX, Math.min(WEIGHT_MAX, weight))
  })
}

import { characterCount, cutText, isStorableText } from '../text/characters.ts'
import { readEmailAddress } from '../text/email-address.ts'
import { oneLine } from '../text/html.ts'
import { unknownKeys, type Door, type OthersReading } from './control-keys.ts'
import { echoed } from '../limits/limits.ts'
import { isBlank, type Entries } from './language/answers.ts'
import { ANSWER_MAX_LENGTH, ITEMS_MAX } from './language/definition.ts'
import {
  EXTRA_MAX,
  EXTRA_NAME_MAX_LENGTH,
  REPLY_TO_KEY,
  SUBJECT_KEY,
  SUBJECT_MAX_LENGTH,
} from './language/extra.ts'
import type { Sentence } from './language/words.ts'

/**
 * What `POST /f/{formId}` takes: what pages send that were made for another form backend, so that they move here by
 * their action alone. All else is as at the address of the contract.
 */
export const movingDoor: Door = {
  isGotchaOptional: true,
  redirectKeys: ['_next', '_redirect'],
  ownKeys: [SUBJECT_KEY, REPLY_TO_KEY],
  readOthers(form, unknown, { entries }) {
    const mail = readMail(entries)
    const { kept, problems } =
      form.definition.extraAnswers === 'keep'
        ? readExtra(unknown)
        : { kept: [], problems: unknownKeys(unknown) }
    const extra = [...mail, ...kept]
    return { extra: extra.length === 0 ? null : Object.fromEntries(extra), problems }
  },
}

/**
 * What a page says of the notification: its subject, in one line that is cut to its bound, and the address for replies. A
 * value that cannot be used, or that is given twice, is left out: no submission is refused for it.
 */
function readMail(entries: Entries): readonly (readonly [string, string])[] {
  const textOf = (key: string): string => {
    const [value, ...more] = entries.get(key) ?? []
    return typeof value === 'string' && more.length === 0 ? value : ''
  }
  const line = oneLine(
    textOf(SUBJECT_KEY)
      .replaceAll(/[\p{Zl}\p{Zp}]/gu, ' ')
      .toWellFormed(),
  )
  const mail = [
    [SUBJECT_KEY, cutText(line, SUBJECT_MAX_LENGTH).trim()],
    [REPLY_TO_KEY, readEmailAddress(textOf(REPLY_TO_KEY)) ?? ''],
  ] as const
  return mail.filter(([, value]) => value !== '')
}

/**
 * Reads what a form does not ask for. Empty values are left out, as empty answers are; the texts of a group of checkboxes
 * become one.
 */
function readExtra(unknown: Entries): Pick<OthersReading, 'problems'> & {
  readonly kept: readonly (readonly [string, string])[]
} {
  const kept: (readonly [string, string])[] = []
  const problems = new Map<string, Sentence>()
  for (const [name, values] of unknown) {
    const texts = textsIn(values)
    if (texts === null) problems.set(echoed(name), ['onlyTexts'])
    if (texts === null || texts.length === 0) continue
    const problem = extraProblem(name, texts, kept.length)
    if (problem === null) kept.push([name, texts.join(SEPARATOR)])
    else problems.set(echoed(name), problem)
  }
  return { kept, problems }
}

/** The texts of a value that are not blank: one text, those of a list, or all repetitions. Null: it has something else. */
function textsIn(values: readonly unknown[]): readonly string[] | null {
  const given = values.flat().filter((value) => value !== null)
  const texts = given.filter((value) => typeof value === 'string')
  return texts.length < given.length ? null : texts.filter((text) => !isBlank(text))
}

/** What stands between the texts of a list. */
const SEPARATOR = ', '

/** What is wrong with a value, or with its name; null: it is kept. */
function extraProblem(name: string, texts: readonly string[], keptCount: number): Sentence | null {
  const text = texts.join(SEPARATOR)
  if (name === '' || name.length > EXTRA_NAME_MAX_LENGTH || !isStorableText(name))
    return ['nameNotKept', { max: EXTRA_NAME_MAX_LENGTH }]
  if (keptCount >= EXTRA_MAX) return ['tooManyKept', { max: EXTRA_MAX }]
  if (texts.length > ITEMS_MAX) return ['chooseAtMost', { max: ITEMS_MAX }]
  if (characterCount(text) > ANSWER_MAX_LENGTH) return ['atMostCharacters', { max: ANSWER_MAX_LENGTH }]
  return isStorableText(text) ? null : ['unstorable']
}

import * as v from 'valibot'
import { NoList } from '../no-list.ts'

const EMPTY = 'must be a text that is not empty'
const UNKNOWN_KEY = 'is not a known key here'

/** A text that is not empty. */
export const Text = v.pipe(v.string(EMPTY), v.nonEmpty(EMPTY))

/** One of these texts. The message for a missing key lists them too. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  problem = `must be one of ${choices.join(', ')}`,
) {
  return v.pipe(v.optional(v.string(problem), ''), v.picklist(choices, problem))
}

/** A whole number within bounds; `fallback` where the key is left out. */
export function wholeNumber(min: number, max: number, fallback: number) {
  const problem = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.nullish(v.number(problem), fallback),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, problem),
  )
}

/** An object with these keys and no others: any other key is most likely a typo. */
export function settings<const Entries extends v.ObjectEntries>(entries: Entries) {
  const keyProblem = ({ expected }: v.StrictObjectIssue) =>
    expected === 'never' ? UNKNOWN_KEY : 'is missing'
  return v.pipe(NoList, v.strictObject(entries, keyProblem))
}

/** Like `settings`, for an object whose other keys are checked elsewhere. */
export function settingsAmongOthers<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(NoList, v.object(entries))
}

/** The value of a key that is allowed under a condition only. Otherwise it is refused like any unknown key. */
export function onlyIf<Value>(
  condition: boolean,
  schema: v.GenericSchema<unknown, Value>,
): v.GenericSchema<unknown, Value | undefined> {
  return condition ? schema : v.exactOptional(v.never(UNKNOWN_KEY))
}

/** What is wrong, each in a sentence that begins with the place, such as `sources[0].name`. */
export function problemsOf(issues: readonly v.BaseIssue<unknown>[]): readonly string[] {
  return issues.map(({ path = [], message }) => {
    const place = path.reduce(
      (before, { key }) => `${before}${typeof key === 'number' ? `[${key}]` : `.${String(key)}`}`,
      '',
    )
    return `${place === '' ? 'The configuration' : place.slice(1)} ${message}`
  })
}

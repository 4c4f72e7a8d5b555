import { attributionKeys, attributionMaxLength } from './language/attribution.ts'
import { keysOf } from '../text/encoding.ts'
import { isStorableText, cutText, characterCount } from '../text/characters.ts'
import { echoed } from '../limits/limits.ts'
import { isBlank, type Entries, type SubmittedBody } from './language/answers.ts'
import type { CompiledForm } from './language/compile.ts'
import { GOTCHA_MAX_LENGTH, PASSWORD_MAX_LENGTH } from './language/definition.ts'
import type { Sentence } from './language/words.ts'

/** The values of a submission besides its answers. */
export interface ControlKeys {
  /** Whether the bot trap was filled. Even spaces fill it. */
  readonly isTrapped: boolean
  /** Null when none was given. */
  readonly password: string | null
  /** The single value that was given, not yet checked; null when none was. */
  readonly redirect: unknown
  /** The given and usable values, by name without the leading underscore. */
  readonly attribution: Readonly<Record<string, string>>
}

/** What is wrong, by key. */
type Problems = ReadonlyMap<string, Sentence>

type ControlKeysReading =
  | { readonly kind: 'keys'; readonly keys: ControlKeys }
  | { readonly kind: 'invalid'; readonly fieldErrors: Problems }

/** The control keys for attribution, with the names under which their values are stored. */
const attributionNames = attributionKeys.map((name) => [`_${name}`, name] as const)

type Values = readonly unknown[] | undefined

/** For each control key that can be wrong, a function that returns the problem with its values; null: none. */
const judges = {
  _gotcha: gotchaProblem,
  _password: passwordProblem,
  _redirect: redirectProblem,
} satisfies Readonly<Record<string, (values: Values) => Sentence | null>>

/** A control key that can be wrong. Those for attribution cannot. */
export type JudgedKey = keyof typeof judges

const controlKeys = new Set<string>([...keysOf(judges), ...attributionNames.map(([key]) => key)])

/** An address to which submissions are sent: what a body may contain there besides answers. */
export interface Door {
  /** Whether `_gotcha` may be left out. */
  readonly isGotchaOptional: boolean
  /** The keys under which the thank-you URL may be given, once in all. */
  readonly redirectKeys: readonly string[]
  /** Control keys that the contract does not have. They cannot be wrong. */
  readonly ownKeys: readonly string[]
  /**
   * Reads the values of a body that are neither answers nor known control keys.
   * @param unknown the entries of which the form knows nothing, without those of control keys
   */
  readOthers(form: CompiledForm, unknown: Entries, body: SubmittedBody): OthersReading
}

/** What was read of a body besides its answers. */
export interface OthersReading {
  /** What is kept beside the answers, by name; null: nothing. */
  readonly extra: Readonly<Record<string, string>> | null
  readonly problems: Problems
}

/** The address of the contract, which refuses every key that it does not know. */
export const contractDoor: Door = {
  isGotchaOptional: false,
  redirectKeys: ['_redirect'],
  ownKeys: [],
  readOthers: (_form, unknown) => ({ extra: null, problems: unknownKeys(unknown) }),
}

/** An error for each key that a form does not have. The keys are shortened, because the reply repeats them. */
export function unknownKeys(unknown: Entries): Problems {
  return new Map([...unknown.keys()].map((key) => [echoed(key), ['noSuchField']]))
}

/** Whether a key of a body is a control key, which never names a field. */
export function isControlKey(key: string, { redirectKeys, ownKeys }: Door = contractDoor): boolean {
  return controlKeys.has(key) || redirectKeys.includes(key) || ownKeys.includes(key)
}

/** Reads the control keys of a body (contract, Control keys). An unusable attribution is ignored and never refused. */
export function readControlKeys(entries: Entries, door: Door = contractDoor): ControlKeysReading {
  const fieldErrors = new Map<string, Sentence>()
  const redirectKeys = door.redirectKeys.filter((key) => entries.has(key))
  const redirects = redirectKeys.flatMap((key) => entries.get(key) ?? [])
  const given: Readonly<Record<JudgedKey, Values>> = {
    _gotcha: entries.get('_gotcha') ?? (door.isGotchaOptional ? [''] : undefined),
    _password: entries.get('_password'),
    _redirect: redirectKeys.length === 0 ? undefined : redirects,
  }
  for (const key of keysOf(judges)) {
    const problem = judges[key](given[key])
    const shown = key === '_redirect' ? (redirectKeys[0] ?? key) : key
    if (problem !== null) fieldErrors.set(shown, problem)
  }
  if (fieldErrors.size > 0) return { kind: 'invalid', fieldErrors }
  const password = entries.get('_password')?.[0] ?? null
  const redirect = redirects[0] ?? null
  return {
    kind: 'keys',
    keys: {
      isTrapped: given._gotcha?.[0] !== '',
      password: typeof password === 'string' && password !== '' ? password : null,
      redirect: redirect === '' ? null : redirect,
      attribution: readAttribution(entries),
    },
  }
}

function gotchaProblem(values: Values): Sentence | null {
  if (values === undefined) return ['keyMissing']
  return textProblem(values, GOTCHA_MAX_LENGTH)
}

function passwordProblem(values: Values): Sentence | null {
  return values === undefined || isAbsent(values) ? null : textProblem(values, PASSWORD_MAX_LENGTH)
}

/** Only a list is refused here; any other value is checked later, when the redirect is resolved. */
function redirectProblem(values: Values): Sentence | null {
  if (values === undefined || (values.length === 1 && !Array.isArray(values[0]))) return null
  return ['keySingle']
}

function isAbsent(values: readonly unknown[]): boolean {
  return values.length === 1 && values[0] === null
}

function textProblem(values: readonly unknown[], maxLength: number): Sentence | null {
  const [value, ...more] = values
  if (more.length > 0) return ['keyOnce']
  if (typeof value !== 'string') return ['mustBeText']
  return characterCount(value) > maxLength ? ['atMostCharacters', { max: maxLength }] : null
}

function readAttribution(entries: Entries): Readonly<Record<string, string>> {
  const attribution: Record<string, string> = {}
  for (const [key, name] of attributionNames) {
    const values = entries.get(key)
    if (values?.length !== 1 || !isUsable(values[0])) continue
    attribution[name] = cutText(values[0].trim(), attributionMaxLength)
  }
  return attribution
}

function isUsable(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value) && isStorableText(value)
}

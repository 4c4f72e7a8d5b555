/** Words that mark a key as sensitive when its name contains one of them as a whole word. */
const SENSITIVE_WORDS = new Set([
  'password',
  'passwd',
  'secret',
  'token',
  'apikey',
  'authorization',
  'credential',
  'credentials',
  'cardnumber',
  'cvv',
  'cvc',
  'ssn',
  'internal',
  'webhook',
])

/** Words that are sensitive only next to each other: `api_key`, `cardNumber`. */
const SENSITIVE_PAIRS = new Set(['api key', 'card number'])

const SEPARATORS = /[\s\d_\-.]+/u

/** Splits a name at camelCase humps, digits, `_`, `-`, `.` and spaces: `cardNumber2` gives `card`, `number`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(SEPARATORS)
}

/** Whether a key of an answer payload is internal or sensitive, so that it is never published. */
export function isSensitiveKey(name: string): boolean {
  if (/^[_$]/.test(name)) return true
  // Capitals within a word, as in `passWord` and `API_kEY`, make it no other one.
  const spelt = name.toLowerCase().split(SEPARATORS)
  return [wordsOf(name), spelt].some((words) =>
    words.some(
      (word, index) => SENSITIVE_WORDS.has(word) || SENSITIVE_PAIRS.has(`${word} ${words[index + 1] ?? ''}`),
    ),
  )
}

/** A copy of a JSON object without sensitive keys, at any depth, in arrays too. */
export function withoutSensitiveKeys(object: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => !isSensitiveKey(name))
      .map(([name, value]) => [name, cleaned(value)]),
  )
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  return typeof value === 'object' && value !== null ? withoutSensitiveKeys(value) : value
}

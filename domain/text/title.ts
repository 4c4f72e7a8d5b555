/** What is spelt in capitals, wherever it stands. */
const ACRONYMS = /\b(?:mms|pos|sms|url|utm)\b/g

/** A name of the code as people read it: `short_text` is “Short text”, `smsConsent` is “SMS consent”. */
export function titleOf(name: string): string {
  const words = name
    .replaceAll(/[_\s-]+|(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(ACRONYMS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

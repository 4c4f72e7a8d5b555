import type { FormDefinition, JudgedSubmission, StoredForm, SubmissionSign } from '../../ports/records.ts'
import type { Secrets } from '../access/secrets.ts'
import type { CompiledForm } from '../forms/language/compile.ts'
import type { AnswerValue } from '../forms/language/definition.ts'
import { toBase64Url, utf8 } from '../text/encoding.ts'
import { parseUrl } from '../text/http.ts'
import { isAscii } from '../text/typed-text.ts'
import type { contentReasons, GivenText, wordsOf } from './content.ts'
import type { SpamReason } from './reasons.ts'

/** A shorter text is no sign: people give the same short answers. In characters. */
const SIGN_MIN_LENGTH = 40
/** How many texts of a submission are compared with those of others. The longest ones. */
const TEXTS_MAX = 10
/** How many characters of a hash are kept: 96 bits, which no two texts share by chance. */
const SIGN_LENGTH = 16

const REPEATED = { keptMs: 3_600_000, earlierMax: 9, reason: 'repeated' satisfies SpamReason } as const
const FLOOD = { keptMs: 60_000, earlierMax: 20, reason: 'flood' satisfies SpamReason } as const

/** From this sum of weights on, as `weightsOf` gives them, a submission is spam: that of five telling words or more. */
export const LEARNED_BOUND = 9_000

/** What a submission says. */
interface Said {
  readonly answers: Readonly<Record<string, AnswerValue>>
  /** What was sent besides; null: nothing. */
  readonly extra: Readonly<Record<string, string>> | null
}

/**
 * What decides whether a submission is spam. Its content is judged here; whether there were others like it, by the store.
 * @param network where it came from, as `networkOf` gives it; null: that is not known, or is no sign
 */
export async function judge(
  { organizationId, formId, definition }: StoredForm,
  { answerFields }: CompiledForm,
  { answers, extra }: Said,
  network: string | null,
  secrets: Secrets,
): Promise<JudgedSubmission> {
  const texts = [...answerFields.values()].flatMap(({ id, type, contactField }) => {
    const text = Object.hasOwn(answers, id) ? answers[id] : null
    const isText = type === 'short_text' || type === 'long_text'
    return isText && typeof text === 'string' ? [{ text, isName: contactField !== null }] : []
  })
  // What a page sends besides is often the same each time, so it is read, but no sign. Under `_` are its own settings.
  const others = Object.entries(extra ?? {})
    .filter(([name]) => !name.startsWith('_'))
    .map(([, text]) => ({ text, isName: false }))
  const read = [...texts, ...others]
  const { reasons, words } =
    read.length === 0 ? NOTHING : await contentOf(read, { answers, extra }, definition)
  const long = new Set(texts.filter(({ text }) => mayBeLong(text)).map(({ text }) => comparable(text)))
  const compared = [...long]
    .filter(({ length }) => length >= SIGN_MIN_LENGTH)
    .sort((left, right) => right.length - left.length)
    .slice(0, TEXTS_MAX)
  // Of one form alone, so that nobody can tell by it what came to several.
  const signOf = async (kind: string, of: string) => {
    const message = utf8(JSON.stringify([kind, organizationId, formId, of]))
    return toBase64Url(await secrets.current.mac('submission-sign', message)).slice(0, SIGN_LENGTH)
  }
  const signs: readonly Promise<SubmissionSign>[] = [
    ...compared.map(async (text) => ({ ...REPEATED, sign: await signOf('text', text) })),
    ...(network === null ? [] : [signOf('network', network).then((sign) => ({ ...FLOOD, sign }))]),
  ]
  return { reasons, words, signs: await Promise.all(signs) }
}

/** Small letters and single spaces, so that one text is found again in another writing. */
function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}

/** Whether a text may be a sign. One in ASCII does not become longer when it is made comparable. */
function mayBeLong(text: string): boolean {
  return text.length >= SIGN_MIN_LENGTH || !isAscii(text)
}

const NOTHING = { reasons: [], words: [] } as const

/** The rules of `contentOf`, once a submission with a text has loaded them; null: none has. */
let rules: { readonly contentReasons: typeof contentReasons; readonly wordsOf: typeof wordsOf } | null = null

/** What texts say. */
async function contentOf(
  texts: readonly GivenText[],
  { answers, extra }: Said,
  definition: FormDefinition,
): Promise<Pick<JudgedSubmission, 'reasons' | 'words'>> {
  rules ??= await import('./content.ts')
  return { reasons: rules.contentReasons(texts, definition), words: rules.wordsOf(answers, extra) }
}

/**
 * The network of an address: an IPv4 address, or the first 64 bits of an IPv6 address, which one household has.
 * @param address as the header `CF-Connecting-IP` has it; null: there is none
 * @returns null for what is no address, and for loopback, which tells nobody apart
 */
export function networkOf(address: string | null): string | null {
  if (address === null) return null
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) {
    const bytes = address.split('.').map(Number)
    return bytes[0] === 127 || bytes.some((byte) => byte > 255) ? null : bytes.join('.')
  }
  if (!/^[\da-f:.]+$/i.test(address)) return null
  const url = parseUrl(`http://[${address}]/`)
  if (url === null) return null
  // The parser writes an address as hexadecimal groups without leading zeros, and `::` for the longest run of zeros.
  const [before = '', after] = url.hostname.slice(1, -1).split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  const isZero = (count: number) => groups.slice(0, count).every((group) => group === '0')
  if (isZero(7) && groups[7] === '1') return null
  const mapped =
    isZero(5) && groups[5] === 'ffff' ? groups.slice(6).map((group) => parseInt(group, 16)) : null
  if (mapped === null) return groups.slice(0, 4).join(':')
  return networkOf(mapped.flatMap((group) => [group >> 8, group & 255]).join('.'))
}

import type { ErasureLedger, ErasureMark, RecordedErasure, KnownPerson } from '../../../ports/erasure.ts'
import type { SecretVersion, Secrets } from '../../access/secrets.ts'
import { emailKey } from '../../text/email-address.ts'
import { toBase64Url, utf8 } from '../../text/encoding.ts'

// What the service remembers of erased people: the ids of their contacts, and hashes of their addresses under a key that
// nobody has without the root secret. A hash is of one organization, so nobody can compare organizations by it.

/** For how many days it is remembered who was erased: longer than backups are usually kept. */
export const ERASURES_KEPT_DAYS = 400

/** What is hashed: an address in the form in which all spellings of it are equal. */
type Hashed = Exclude<ErasureMark['kind'], 'contact'>

async function hashOf(kind: Hashed, value: string, organizationId: string, secret: SecretVersion) {
  return toBase64Url(await secret.mac('erased-address', utf8(`${kind}\n${organizationId}\n${value}`)))
}

/** The marks of a person of an organization, under the present root secret. */
export async function marksOf(
  organizationId: string,
  { contactIds, emailKeys, phones, numbers }: KnownPerson,
  { current }: Pick<Secrets, 'current'>,
): Promise<readonly ErasureMark[]> {
  const international = new Set(phones.map(digitsOf))
  const addresses: readonly (readonly [Hashed, string])[] = [
    ...emailKeys.map((key) => ['email', key] as const),
    ...[...international].map((digits) => ['phone', digits] as const),
    ...numbers.filter((digits) => !international.has(digits)).map((digits) => ['national', digits] as const),
  ]
  const hashed = addresses.map(async ([kind, address]) => ({
    kind,
    value: await hashOf(kind, address, organizationId, current),
    secretVersion: current.version,
  }))
  const contacts = contactIds.map((value) => ({ kind: 'contact', value, secretVersion: '' }) as const)
  return [...contacts, ...(await Promise.all(hashed))]
}

const PAGE = 5_000

/** All marks of organizations that were erased after an instant. */
export async function marksSince(
  organizationIds: readonly string[],
  instant: string,
  ledger: ErasureLedger,
): Promise<readonly RecordedErasure[]> {
  const marks: RecordedErasure[] = []
  for (let after: RecordedErasure | null = null; ;) {
    const page: readonly RecordedErasure[] = await ledger.since(organizationIds, instant, after, PAGE)
    marks.push(...page)
    after = page.at(-1) ?? null
    if (page.length < PAGE) return marks
  }
}

/** What texts hold of erased people. */
export interface FoundAddresses {
  readonly emailKeys: readonly string[]
  readonly phones: readonly string[]
  /** Digits as people write them. */
  readonly numbers: readonly string[]
}

/** Recognises addresses of erased people. */
export interface ErasedAddresses {
  readonly isEmpty: boolean
  /** How many marks cannot be compared, because they were made under a root secret that the service no longer has. */
  readonly unreadable: number
  /** Those of the texts that are addresses of erased people. */
  among(texts: Iterable<string>): Promise<FoundAddresses>
}

/** Prepares to compare texts with marks. */
export function erasedAddresses(
  marks: readonly RecordedErasure[],
  secrets: Pick<Secrets, 'find'>,
): ErasedAddresses {
  const addresses = marks.filter(({ kind }) => kind !== 'contact')
  const readable = addresses.filter(({ secretVersion }) => secrets.find(secretVersion) !== null)
  const hashes = new Set(readable.map(({ kind, value }) => `${kind} ${value}`))
  const keys = [
    ...Map.groupBy(
      readable,
      ({ organizationId, secretVersion }) => `${secretVersion} ${organizationId}`,
    ).values(),
  ].flatMap(([one]) => {
    const secret = one === undefined ? null : secrets.find(one.secretVersion)
    return one === undefined || secret === null ? [] : [{ organizationId: one.organizationId, secret }]
  })
  const isErased = async (kind: Hashed, value: string) => {
    for (const { organizationId, secret } of keys)
      if (hashes.has(`${kind} ${await hashOf(kind, value, organizationId, secret)}`)) return true
    return false
  }
  return {
    isEmpty: hashes.size === 0,
    unreadable: addresses.length - readable.length,
    async among(texts) {
      const [emailKeys, phones, numbers] = [new Set<string>(), new Set<string>(), new Set<string>()]
      for (const text of new Set(texts)) {
        if (text.length > TEXT_MAX_LENGTH) continue
        if (text.includes('@')) {
          if (await isErased('email', emailKey(text))) emailKeys.add(emailKey(text))
          continue
        }
        const digits = digitsOf(text)
        if (!DIGITS.test(digits)) continue
        const isInternational = await isErased('phone', digits)
        if (isInternational) phones.add(`+${digits}`)
        if (isInternational || (!text.startsWith('+') && (await isErased('national', digits))))
          numbers.add(digits)
      }
      return { emailKeys: [...emailKeys], phones: [...phones], numbers: [...numbers] }
    },
  }
}

/** No longer text is an address. */
const TEXT_MAX_LENGTH = 320
/** The digits of a phone number: a country's numbers have four at least, and E.164 allows fifteen. */
const DIGITS = /^\d{4,15}$/

/** A number without what people write between its digits, and without zeros at the beginning. */
function digitsOf(text: string): string {
  return text.replaceAll(/[ +\-()./]/g, '').replace(/^0+/, '')
}

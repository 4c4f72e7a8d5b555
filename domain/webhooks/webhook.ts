import { hasGoodChecksum, isOrganizationId } from '../access/keys.ts'

// A webhook is named by its organization and its own id, as `acme:wh_…`, so that a command finds it by that alone wherever
// the organization lives. So is a delivery.

const SEPARATOR = ':'

/** What the id of a webhook, or of a delivery to one, names. */
interface Named {
  readonly organizationId: string
  /** Its id within the organization. */
  readonly id: string
}

/** Names a webhook, or a delivery, by its organization and its id within that. */
export function publicId(organizationId: string, id: string): string {
  return `${organizationId}${SEPARATOR}${id}`
}

/** What an id names; null: nothing can have it. A mistyped text may be anything, even a key, and names nothing then. */
export function namedBy(text: string): Named | null {
  const [organizationId = '', id = '', ...more] = text.split(SEPARATOR)
  const isOne = /^(?:wh_[\w-]{1,64}|whd_[\w-]{1,200})$/.test(id) && more.length === 0
  return isOne && isOrganizationId(organizationId) && !hasGoodChecksum(organizationId)
    ? { organizationId, id }
    : null
}

/** The bounds of what is said of a webhook. */
export const DESCRIPTION_MAX_LENGTH = 200
export const FORMS_MAX = 100

/** The maximum number of webhooks of an organization: each of them gets a row and a call for each event. */
export const WEBHOOKS_MAX = 20

/** A webhook without a success for so many days is switched off. */
export const FAILING_DAYS = 5

/** The event that somebody asks for, to try a webhook. */
export const TEST_EVENT = 'test'

// Where a webhook may not go: into the network of whoever runs the service. A Worker cannot see what a name resolves to, so
// what is checked is how the address is written; redirects are not followed.

/** The longest URL of a webhook, in characters. */
export const URL_MAX_LENGTH = 2_000

/**
 * Why a webhook may not have this URL, as the rest of a sentence that begins with its name; null: it may.
 * @param isLocal whether the service runs on a developer's machine, where loopback addresses are receivers too
 */
export function webhookUrlProblem(text: string, isLocal: boolean): string | null {
  if (text.length > URL_MAX_LENGTH) return `must have at most ${URL_MAX_LENGTH} characters`
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an https URL'
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text))
    return 'must not name a user'
  if (text.includes('#')) return 'must not have a fragment'
  if (isLocal && isLoopbackReceiver(url)) return null
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (url.port !== '') return 'must not have a port other than 443'
  return isReachable(url.hostname) ? null : 'must be the address of a server on the internet'
}

/** Ports below 1024 at which a receiver on a developer's machine may listen. */
const LOW_PORTS: readonly number[] = [80]

function isLoopbackReceiver({ protocol, hostname, port }: URL): boolean {
  const number = port === '' ? 80 : Number(port)
  const isLoopback = hostname === 'localhost' || /^127(?:\.\d+){3}$/.test(hostname)
  return protocol === 'http:' && isLoopback && (number >= 1024 || LOW_PORTS.includes(number))
}

/** Names that no public server has (RFC 6761, RFC 6762, RFC 8375, and `internal` by decision of ICANN). */
const INNER_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/** A host as the parser of URLs wrote it, which turns every spelling of an IPv4 address into four decimal numbers. */
function isReachable(host: string): boolean {
  if (host.startsWith('[')) return isGlobal6(groupsOf(host.slice(1, -1)))
  const name = host.replace(/\.$/, '')
  const address = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(name)
  if (address !== null) return isGlobal4(address.slice(1).map(Number))
  return name.includes('.') && !INNER_NAMES.test(name)
}

type Bytes4 = readonly number[]

/** Networks of IPv4 that are not global unicast (IANA's registry of special addresses), and the length of their prefix. */
const SPECIAL4: readonly (readonly [network: Bytes4, length: number])[] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 0, 0], 24],
  [[192, 0, 2, 0], 24],
  [[192, 88, 99, 0], 24],
  [[192, 168, 0, 0], 16],
  [[198, 18, 0, 0], 15],
  [[198, 51, 100, 0], 24],
  [[203, 0, 113, 0], 24],
  // Multicast, reserved, broadcast.
  [[224, 0, 0, 0], 3],
]

function isGlobal4(address: Bytes4): boolean {
  const bits = bitsOf(address, 8)
  return !SPECIAL4.some(([network, length]) => bits.startsWith(bitsOf(network, 8).slice(0, length)))
}

function bitsOf(parts: readonly number[], width: number): string {
  return parts.map((part) => part.toString(2).padStart(width, '0')).join('')
}

/** The eight groups of an IPv6 address that the parser of URLs wrote. */
function groupsOf(text: string): readonly number[] {
  const [before = '', after] = text.split('::')
  const groups = (half: string) => (half === '' ? [] : half.split(':').map((group) => parseInt(group, 16)))
  const [head, tail] = [groups(before), groups(after ?? '')]
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** Networks of IPv6 within 2000::/3 that are not global unicast. */
const SPECIAL6: readonly (readonly [network: readonly number[], length: number])[] = [
  // Protocols, Teredo and the like.
  [[0x2001, 0x0000], 23],
  // Documentation.
  [[0x2001, 0x0db8], 32],
  [[0x3fff, 0x0000], 20],
]

function isGlobal6(groups: readonly number[]): boolean {
  const bits = bitsOf(groups, 16)
  // NAT64 (RFC 6052) and 6to4 (RFC 3056) carry an IPv4 address.
  if (bits.startsWith(bitsOf([0x64, 0xff9b, 0, 0, 0, 0], 16))) return isGlobal4(bytesOf(groups.slice(6)))
  if (groups[0] === 0x2002) return isGlobal4(bytesOf(groups.slice(1, 3)))
  if (!bits.startsWith('001')) return false
  return !SPECIAL6.some(([network, length]) => bits.startsWith(bitsOf(network, 16).slice(0, length)))
}

function bytesOf(groups: readonly number[]): Bytes4 {
  return groups.flatMap((group) => [group >> 8, group & 0xff])
}

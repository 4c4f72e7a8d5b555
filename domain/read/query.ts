import type { Predicate, Scalar } from '../../ports/records.ts'
import { ECHO_MAX_LENGTH } from '../limits/echo.ts'
import type { Filters } from '../record/filter.ts'
import { cutText } from '../text/characters.ts'

/** A problem of a query string, as a sentence for the caller. */
export interface QueryProblem {
  readonly kind: 'problem'
  readonly error: string
}

/** The parameters of a request: each at most once, all of them known. Empty values are left out. */
interface GivenParameters {
  readonly kind: 'parameters'
  readonly given: ReadonlyMap<string, string>
  /**
   * Every `limit` that was given, empty ones included. An invalid one is replaced by the default and is never an error.
   */
  readonly limits: readonly string[]
}

/** The filter values that apply, and the predicates for them. */
interface FilterValues {
  readonly kind: 'filters'
  /** Every filter of the collection by parameter name; null when it was not given. */
  readonly echo: Readonly<Record<string, Scalar | null>>
  readonly where: readonly Predicate[]
}

/** Returned when a filter cannot be read before the organization's phone country is known. */
interface NeedsCountry {
  readonly kind: 'needs_country'
}

export function problem(error: string): QueryProblem {
  return { kind: 'problem', error }
}

/** Splits a query string into known parameters. Unknown and repeated ones are a problem. */
export function readParameters(
  query: URLSearchParams,
  allowed: readonly string[],
): GivenParameters | QueryProblem {
  const given = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, text] of query) {
    if (!allowed.includes(name)) return problem(unknownParameter(name, allowed))
    if (name === 'limit') continue
    if (seen.has(name)) return problem(`Parameter ${name} must be given at most once.`)
    seen.add(name)
    if (text !== '') given.set(name, text)
  }
  return { kind: 'parameters', given, limits: query.getAll('limit') }
}

/** Reads the filters of a collection from its parameters. */
export async function readFilters(
  filters: Filters,
  given: ReadonlyMap<string, string>,
  phoneCountry: string | null,
): Promise<FilterValues | NeedsCountry | QueryProblem> {
  const echo: Record<string, Scalar | null> = {}
  const where: Predicate[] = []
  let needsCountry = false
  for (const [name, filter] of Object.entries(filters)) {
    const text = given.get(name)
    echo[name] = null
    if (text === undefined) continue
    const said = filter.read(text)
    const reading = said.kind === 'phone' ? await readPhone(said.text, phoneCountry) : said
    if (reading.kind === 'invalid') return problem(`Parameter ${name} ${filter.allowed}.`)
    if (reading.kind === 'needs_country') needsCountry = true
    else {
      echo[name] = reading.value
      where.push({ field: filter.field, operator: filter.operator, value: reading.value })
    }
  }
  return needsCountry ? { kind: 'needs_country' } : { kind: 'filters', echo, where }
}

/** The parameter that requests codes, for resources that have them. */
export const CODES_PARAMETER = 'includeCodes'

/** Whether codes are requested: only by `true`. An absent or empty parameter means no. */
export function readCodes(given: ReadonlyMap<string, string>): boolean | QueryProblem {
  const text = given.get(CODES_PARAMETER) ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  return problem(`Parameter ${CODES_PARAMETER} must be true or false.`)
}

/** The sentence about a parameter that a route does not have, with those that it has. */
export function unknownParameter(name: string, allowed: readonly string[]): string {
  const shown = JSON.stringify(cutText(name, ECHO_MAX_LENGTH))
  return allowed.length === 0
    ? `Unknown parameter ${shown}: this route takes none.`
    : `Unknown parameter ${shown}. Allowed: ${allowed.join(', ')}.`
}

/** The result of reading a filter's phone number. `needs_country`: call again with the organization's phone country. */
type PhoneReading =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'needs_country' }

/** Matches a number in international form, which needs no country. */
const INTERNATIONAL = /^\s*[+＋]/

/**
 * Reads the phone number of a filter. The metadata of all countries' numbers is large, so the first request with a
 * number loads it.
 * @param country the country of national numbers (ISO 3166-1 alpha-2); null: not known yet
 */
export async function readPhone(text: string, country: string | null): Promise<PhoneReading> {
  if (country === null && !INTERNATIONAL.test(text)) return { kind: 'needs_country' }
  const { phoneToE164 } = await import('../text/phone-number.ts')
  const value = phoneToE164(text, country ?? 'US')
  return value === null ? { kind: 'invalid' } : { kind: 'value', value }
}

/** The page size of a request without `limit`. */
export const DEFAULT_LIMIT = 100

/**
 * How many rows are looked at for a page whose filters select few of many, before it ends early. Storage reads each of
 * them at most twice, so that such a page costs fewer than 20,000 rows read, found ones included.
 */
export const LOOKED_AT_MAX = 9_000

/**
 * The page size for the `limit` parameters of a request (none, one or several). An invalid or repeated one is replaced
 * by the default, and one larger than `maximum` is capped. None is an error.
 */
export function readLimit(given: readonly string[], maximum: number, fallback = DEFAULT_LIMIT): number {
  const [text = '', ...more] = given
  if (more.length > 0 || !/^\d+$/.test(text) || Number(text) === 0) return Math.min(fallback, maximum)
  return Math.min(Number(text), maximum)
}

/** What the contract documents say of the parameter `limit`. */
export function limitMeaning(maximum: number): string {
  return `Rows per page. An invalid value counts as ${DEFAULT_LIMIT} and a value above ${maximum} as ${maximum}; \`pagination.limit\` shows what was used.`
}

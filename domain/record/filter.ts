import * as v from 'valibot'
import type { Predicate, Scalar } from '../../ports/records.ts'
import { idMaxLength } from './field.ts'
import { emailKey, readEmailAddress } from '../text/typed-text.ts'
import { INSTANT_FORM, parseQueryInstant } from '../text/instant.ts'
import type { Resource, StoredNameOf } from './resource.ts'

/**
 * The result of reading a filter's value. `phone`: the first of these texts that is a phone number counts, which takes
 * metadata that is loaded on demand.
 */
type FilterReading =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'phone'; readonly texts: readonly string[] }

/** A query parameter that filters a collection. */
export interface Filter<Name extends string = string> {
  /** The stored field that the filter compares, and how. */
  readonly field: Name
  readonly operator: Predicate['operator']
  /** The allowed values, as the end of a sentence that begins with the parameter's name. */
  readonly allowed: string
  readonly description: string
  /** The schema of the echoed value. Only the contract document uses it, and derives the parameter from it. */
  readonly schema: v.GenericSchema<Scalar>
  /** A value that is accepted, for examples and contract tests. */
  readonly example: string
  readonly read: (text: string) => FilterReading
}

/** Query parameters by name. When the type knows the resource's fields, each parameter must compare one of them. */
export type Filters<Name extends string = string> = Readonly<Record<string, Filter<Name>>>

/** What kinds of filters differ in. */
type FilterKind = Pick<Filter, 'allowed' | 'description' | 'example' | 'read'> & {
  readonly schema: () => v.GenericSchema<Scalar>
}

/** A filter whose schema is made only when it is needed, as that of a field. */
class LateFilter<Name extends string> implements Filter<Name> {
  readonly field: Name
  readonly operator: Predicate['operator']
  readonly allowed: string
  readonly description: string
  readonly example: string
  readonly read: (text: string) => FilterReading
  readonly #makeSchema: () => v.GenericSchema<Scalar>

  constructor(field: Name, operator: Predicate['operator'], kind: FilterKind) {
    this.field = field
    this.operator = operator
    this.allowed = kind.allowed
    this.description = kind.description
    this.example = kind.example
    this.read = kind.read
    this.#makeSchema = kind.schema
  }

  get schema(): v.GenericSchema<Scalar> {
    return this.#makeSchema()
  }
}

const invalid: FilterReading = { kind: 'invalid' }
const value = (of: Scalar): FilterReading => ({ kind: 'value', value: of })

/** A filter for rows whose field is exactly this identifier. */
export function idFilter<const Name extends string>(field: Name, description: string): Filter<Name> {
  return new LateFilter(field, 'equals', idKind(description))
}

function idKind(description: string): FilterKind {
  return {
    allowed: `must be an identifier of at most ${idMaxLength} characters`,
    description,
    schema: () => v.pipe(v.string(), v.minLength(1), v.maxLength(idMaxLength)),
    example: 'example-id',
    read: (text) => (text.length <= idMaxLength ? value(text) : invalid),
  }
}

/** A filter for rows whose list of identifiers contains this one. */
export function listFilter<const Name extends string>(field: Name, description: string): Filter<Name> {
  return new LateFilter(field, 'contains', idKind(description))
}

const WHOLE_NUMBER = /^-?\d{1,15}$/

/** A filter for rows whose number is at least, or at most, this whole number. Rows without a number are left out. */
export function boundFilter<const Name extends string>(
  field: Name,
  operator: 'atLeast' | 'atMost',
  description: string,
): Filter<Name> {
  return new LateFilter(field, operator, {
    allowed: 'must be a whole number',
    description,
    schema: () => v.pipe(v.number(), v.integer()),
    example: '3',
    read: (text) => (WHOLE_NUMBER.test(text) ? value(Number(text)) : invalid),
  })
}

/** A filter for rows whose number is exactly this whole number. */
export function numberFilter<const Name extends string>(
  field: Name,
  minimum: number,
  maximum: number,
  description: string,
): Filter<Name> {
  const inRange = (number: number) => number >= minimum && number <= maximum
  return new LateFilter(field, 'equals', {
    allowed: `must be a whole number from ${minimum} to ${maximum}`,
    description,
    schema: () => v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum)),
    example: String(maximum),
    read: (text) => (WHOLE_NUMBER.test(text) && inRange(Number(text)) ? value(Number(text)) : invalid),
  })
}

/** A filter for rows whose field is one of a closed list of words. */
export function wordFilter<const Name extends string>(
  field: Name,
  words: readonly [string, ...string[]],
  description: string,
): Filter<Name> {
  return new LateFilter(field, 'equals', {
    allowed: `must be one of ${words.join(', ')}`,
    description,
    schema: () => v.picklist(words),
    example: words[0],
    read: (text) => (words.includes(text) ? value(text) : invalid),
  })
}

/** A filter for rows with this value of a boolean field. */
export function booleanFilter<const Name extends string>(field: Name, description: string): Filter<Name> {
  return new LateFilter(field, 'equals', {
    allowed: 'must be true or false',
    description,
    schema: () => v.boolean(),
    example: 'true',
    read: (text) => (text === 'true' || text === 'false' ? value(text === 'true') : invalid),
  })
}

/** A filter for rows with this email address, compared in the normalised form that identifies a contact. */
export function emailFilter<const Name extends string>(field: Name, description: string): Filter<Name> {
  return new LateFilter(field, 'equals', {
    allowed: 'must be an email address',
    description,
    schema: () => v.string(),
    example: 'ada@example.com',
    read: (text) => (readEmailAddress(text) === null ? invalid : value(emailKey(text))),
  })
}

/**
 * A filter for rows with this phone number in any accepted form. A national form is read in the organization's country.
 */
export function phoneFilter<const Name extends string>(field: Name, description: string): Filter<Name> {
  return new LateFilter(field, 'equals', {
    allowed: 'must be a valid phone number in national or international form',
    description,
    schema: () => v.string(),
    example: '+12125550123',
    read: (text) => ({ kind: 'phone', texts: phoneTexts(text) }),
  })
}

/**
 * What a phone number of a query string may mean. An unencoded + arrives as a space, but a number that is copied from a
 * table may begin with one, too. It is taken for a + first where only digits follow, as in E.164.
 */
function phoneTexts(text: string): readonly string[] {
  if (!text.startsWith(' ')) return [text]
  const [international, national] = [`+${text.slice(1)}`, text.trimStart()]
  return /^\d+$/.test(national) ? [international, national] : [national, international]
}

/** A filter for rows whose instant is at or after the given one, or before it, depending on the operator. */
function instantFilter<const Name extends string>(
  field: Name,
  operator: Predicate['operator'],
  description: string,
): Filter<Name> {
  return new LateFilter(field, operator, {
    allowed: `must be ${INSTANT_FORM}`,
    description,
    schema: () => v.pipe(v.string(), v.isoTimestamp()),
    example: '2026-01-31T12:00:00+02:00',
    read: (text) => {
      const instant = parseQueryInstant(text)
      return instant === null ? invalid : value(instant)
    },
  })
}

/** The two parameters of a window, both of the field that is bounded. */
type Window<Stem extends string> = {
  readonly [Parameter in `${Stem}After` | `${Stem}Before`]: Filter<`${Stem}At`>
}

/**
 * The two filters for a time window: `xAfter` inclusive, `xBefore` exclusive, so that adjacent windows neither overlap
 * nor leave a gap. The parameters have the field's name without its `At`: `createdAt` gives `createdAfter`.
 */
export function window<const Stem extends string>(field: `${Stem}At`): Window<Stem> {
  const stem = field.slice(0, -'At'.length)
  const after = `Only rows whose \`${field}\` is at or after this instant.`
  const before = `Only rows whose \`${field}\` is before this instant.`
  const filters: Filters<typeof field> = {
    [`${stem}After`]: instantFilter(field, 'atLeast', after),
    [`${stem}Before`]: instantFilter(field, 'below', before),
  }
  // The compiler gives an object with computed keys the key type string.
  return filters as Window<Stem>
}

/** The rows that are grouped and the fields that are summed. */
export interface Groups<Name extends string = string> {
  /** The stored collection, and the field to which the time window applies. */
  readonly collection: string
  readonly at: Name
  /** Stored whole-number fields, published under their names. The first one orders the groups. */
  readonly sums: readonly [Name, ...Name[]]
  /** The stored field by which each grouping groups. */
  readonly groupings: Readonly<Record<string, Name>>
  /** The grouping by days, newest first. All other groupings are ordered by the first sum. */
  readonly dayGrouping: string
  /** The grouping by ids, and the published field for the id. In the other groupings that field is null. */
  readonly idGrouping: { readonly grouping: string; readonly field: string }
}

/** Declares groups of a resource's rows, by fields that it stores. */
export function rowGroupsOf<Of extends Resource>(
  of: Of,
  how: Omit<Groups<StoredNameOf<Of>>, 'collection'>,
): Groups {
  return { collection: of.collection, ...how }
}

/** How many days the window has when the caller gives no start. */
export const WINDOW_DAYS = 30

/**
 * The parameters of a read of groups: the grouping, and the time window, with its start included and its end excluded.
 */
export function groupFilters({ at, groupings }: Groups, defaultGrouping: string): Filters {
  const [first = defaultGrouping, ...more] = Object.keys(groupings)
  return {
    groupBy: wordFilter(
      'groupBy',
      [first, ...more],
      `What makes a group, \`${defaultGrouping}\` by default.`,
    ),
    start: instantFilter(
      at,
      'atLeast',
      `Only what happened at or after this instant; by default ${WINDOW_DAYS} days before \`end\`.`,
    ),
    end: instantFilter(
      at,
      'below',
      'Only what happened before this instant; by default the end of the present day (UTC).',
    ),
  }
}

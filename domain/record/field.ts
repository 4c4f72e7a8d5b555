import * as v from 'valibot'
import { readEmailAddress } from '../text/typed-text.ts'
import { echoed, OF_SETTING } from '../limits/limits.ts'
import { isJsonObject } from '../text/encoding.ts'
import { INSTANT_FORM, isCalendarDate, parseInstant } from '../text/instant.ts'

/** How a database stores a field. Adapters need to know nothing else about its type. */
export type StorageType = 'text' | 'integer' | 'real' | 'boolean' | 'json'

/** The settings of an organization on which reading an imported value may depend. */
export interface ImportContext {
  readonly organizationId: string
  /** The country of phone numbers that name none (ISO 3166-1 alpha-2). */
  readonly phoneCountry: string
  /**
   * The E.164 form of a valid phone number; null for any other text. A national number is one of that country.
   */
  readonly toE164: (text: string) => string | null
}

/** That a field tells of a person. */
export interface Personal<Value = unknown> {
  /** The value that remains when the person is erased. */
  readonly erased: Value
}

/** One field of a resource. Only here is defined how the field is published, stored and imported. */
export interface Field<Value = unknown> {
  readonly storage: StorageType
  readonly nullable: boolean
  /**
   * Whether the values tell of a person; `no`: they never do. Null: the declaration does not say, which a test refuses
   * for stored fields.
   */
  readonly personal: Personal<Value> | 'no' | null
  /** The schema of the published value. The contract document and the tests of replies are derived from it. */
  readonly schema: v.GenericSchema<Value>
  /** The schema of an imported value; its output is stored. */
  readonly input: (context: ImportContext) => v.GenericSchema<unknown, Value>
}

/** The maximum length of a stored identifier. */
export const idMaxLength = 200

const CONTROL_CHARACTER = /\p{Cc}/u

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

const idSchema = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(idMaxLength, `must be at most ${idMaxLength} characters`),
)

/**
 * An identifier in an import: trimmed of the white space around it, which no person sees in a spreadsheet, and then 1–200
 * characters, none of them a control character.
 */
export const IdInput = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(idMaxLength, `must be at most ${idMaxLength} characters`),
  v.check((value) => !CONTROL_CHARACTER.test(value), 'must not contain control characters'),
)

/**
 * A field whose schema is made only when it is needed. The first read declares hundreds of fields, but only the contract
 * document, imports and rows of outside sources need schemas. A field is made of another by the functions below: spread
 * into an object, it would lose its schema.
 */
class LateField<Value> implements Field<Value> {
  readonly storage: StorageType
  readonly nullable: boolean
  readonly personal: Personal<Value> | 'no' | null
  readonly #makeSchema: () => v.GenericSchema<Value>
  readonly #makeInput: ((context: ImportContext) => v.GenericSchema<unknown, Value>) | undefined
  #schema: v.GenericSchema<Value> | null = null

  constructor(
    storage: StorageType,
    makeSchema: () => v.GenericSchema<Value>,
    input: ((context: ImportContext) => v.GenericSchema<unknown, Value>) | undefined,
    isNullable: boolean,
    whose: Personal<Value> | 'no' | null,
  ) {
    this.storage = storage
    this.nullable = isNullable
    this.personal = whose
    this.#makeSchema = makeSchema
    this.#makeInput = input
  }

  get schema(): v.GenericSchema<Value> {
    return (this.#schema ??= this.#makeSchema())
  }

  input(context: ImportContext): v.GenericSchema<unknown, Value> {
    return this.#makeInput === undefined ? this.schema : this.#makeInput(context)
  }
}

function field<Value>(
  storage: StorageType,
  makeSchema: () => v.GenericSchema<Value>,
  input?: (context: ImportContext) => v.GenericSchema<unknown, Value>,
  { nullable: isNullable, personal: whose }: Partial<Pick<Field<Value>, 'nullable' | 'personal'>> = {},
): Field<Value> {
  return new LateField(storage, makeSchema, input, isNullable ?? false, whose === undefined ? 'no' : whose)
}

/** An identifier: 1–200 characters, no control characters. Imports may give it with white space around it. */
export function id(): Field<string> {
  return field(
    'text',
    () => idSchema,
    () => IdInput,
  )
}

/** A UUID in the text form of RFC 9562. Imports must give it in lower case, so that no two texts are the same id. */
export function uuid(): Field<string> {
  return field(
    'text',
    () => v.pipe(v.string(), v.uuid()),
    () =>
      v.pipe(
        v.string(),
        v.trim(),
        v.regex(UUID, 'must be a UUID in lower case, such as 018f3c6e-7b1a-7c3d-9e2f-5a6b7c8d9e0f'),
      ),
  )
}

/** Says that a field may hold anything, so that its declaration has to say whether that tells of a person. */
const UNKNOWN = { personal: null } as const

/**
 * Free text, stored as given.
 * @param maxLength the most characters that an import may give; left out: as many as fit
 */
export function text(maxLength?: number): Field<string> {
  const input = maxLength === undefined ? undefined : () => v.pipe(v.string(), v.maxLength(maxLength))
  return field('text', () => v.string(), input, UNKNOWN)
}

/** The form of a currency code of ISO 4217. */
export const CURRENCY_CODE = /^[A-Z]{3}$/

/** A currency code of ISO 4217, published as the source gives it. Imports must give it in capitals, such as `USD`. */
export function currency(): Field<string> {
  return field(
    'text',
    () => v.string(),
    () => v.pipe(v.string(), v.regex(CURRENCY_CODE, 'must be a currency code such as USD')),
  )
}

/** One of a closed list of words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word> {
  return field('text', () => v.picklist(words))
}

export function boolean(): Field<boolean> {
  return field('boolean', () => v.boolean())
}

/** A whole number that JSON represents exactly. */
export const WholeNumber = v.pipe(v.number(), v.safeInteger('must be a whole number'))

export function integer(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): Field<number> {
  return field('integer', () => v.pipe(WholeNumber, v.minValue(minimum), v.maxValue(maximum)))
}

/** A thousand million currency units, in cents. This bound keeps sums of very many amounts exact. */
const AMOUNT_MAX_CENTS = 100_000_000_000

/** An amount in cents of which sums are computed. */
export function summedCents(): Field<number> {
  return integer(-AMOUNT_MAX_CENTS, AMOUNT_MAX_CENTS)
}

export function number(minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE): Field<number> {
  return field('real', () => v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum)))
}

/** A published instant: UTC with milliseconds. */
export const Instant = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'must be UTC with milliseconds'),
)

/** An instant in an import: ISO 8601 with any explicit offset. */
export const InstantInput = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const instant = parseInstant(dataset.value)
    if (instant !== null) return instant
    addIssue({ message: `must be ${INSTANT_FORM}, such as 2026-05-20T08:30:00Z` })
    return NEVER
  }),
)

/** A UTC instant with milliseconds. Imports may give any ISO 8601 instant with an explicit offset. */
export function timestamp(): Field<string> {
  return field(
    'text',
    () => Instant,
    () => InstantInput,
  )
}

const dateInput = v.pipe(
  v.string(),
  v.check(isCalendarDate, 'must be a date of the calendar (YYYY-MM-DD), such as 2026-05-20'),
)

/** A day of the calendar, `YYYY-MM-DD`. */
export function date(): Field<string> {
  return field(
    'text',
    () => v.pipe(v.string(), v.isoDate()),
    () => dateInput,
  )
}

/** A day of the calendar, or a UTC instant with milliseconds, depending on what was imported. */
export function dateOrTimestamp(): Field<string> {
  return field(
    'text',
    () => v.string(),
    () =>
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const stored = isCalendarDate(dataset.value) ? dataset.value : parseInstant(dataset.value)
          if (stored !== null) return stored
          addIssue({
            message:
              'must be a date (YYYY-MM-DD) or an ISO 8601 timestamp with an explicit offset, such as 2026-05-20',
          })
          return NEVER
        }),
      ),
  )
}

/** An email address, kept as given except for surrounding white space and invisible characters. */
export function email(): Field<string> {
  return field(
    'text',
    () => v.string(),
    () =>
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const address = readEmailAddress(dataset.value)
          if (address !== null) return address
          addIssue({ message: 'must be an email address, such as ada@example.com' })
          return NEVER
        }),
      ),
    UNKNOWN,
  )
}

/** A phone number, published and stored as E.164. Imports may use any valid national or international form. */
export function phone(): Field<string> {
  return field(
    'text',
    () => v.string(),
    ({ phoneCountry, toE164 }) =>
      v.pipe(
        v.string(),
        v.rawTransform(({ dataset, addIssue, NEVER }) => {
          const e164 = toE164(dataset.value)
          if (e164 !== null) return e164
          const message = `must be a valid phone number of ${phoneCountry}, or one with its country such as +12125550123; the country ${OF_SETTING}`
          addIssue({ message })
          return NEVER
        }),
      ),
    UNKNOWN,
  )
}

/** A structured value, stored as JSON. `input` defaults to the published schema. */
export function json<Value>(
  schema: v.GenericSchema<Value>,
  input?: v.GenericSchema<unknown, Value>,
): Field<Value> {
  return field('json', () => schema, input === undefined ? undefined : () => input, UNKNOWN)
}

/** A list of strings. */
export function textList(): Field<string[]> {
  return field('json', () => v.array(v.string()), undefined, UNKNOWN)
}

/** Bounds of texts by name: how many there may be, and how long a name and a text, in UTF-16 units. */
interface NamedTextBounds {
  readonly most: number
  readonly nameLength: number
  readonly valueLength: number
}

/** Texts by names that nobody declares. Any name is kept, `constructor` too. */
export function textsByName(bounds: NamedTextBounds): Field<Readonly<Record<string, string>>> {
  const input = v.pipe(
    v.custom<Readonly<Record<string, string>>>(isJsonObject, 'must be an object of texts by name'),
    v.rawCheck(({ dataset, addIssue }) => {
      const issue = dataset.typed ? namedTextsProblem(dataset.value, bounds) : null
      if (issue !== null) addIssue({ message: issue })
    }),
  )
  return field(
    'json',
    () => v.record(v.string(), v.string()),
    () => input,
    UNKNOWN,
  )
}

/** What is wrong with texts by name, as the rest of a sentence; null: nothing. */
function namedTextsProblem(
  texts: Readonly<Record<string, unknown>>,
  { most, nameLength, valueLength }: NamedTextBounds,
): string | null {
  const entries = Object.entries(texts)
  if (entries.length > most) return `must have at most ${most} names, not ${entries.length}`
  for (const [name, value] of entries) {
    if (name === '' || name.length > nameLength)
      return `must have names of 1 to ${nameLength} characters, not ${name.length}`
    if (typeof value !== 'string') return `must have a text for ${echoed(name)}`
    if (value.length > valueLength)
      return `must have at most ${valueLength} characters for ${echoed(name)}, not ${value.length}`
  }
  return null
}

/**
 * A field that must not be published without a value, although a database or source may lack the value. Reading such a
 * row fails, because publishing it would mislead. An import may leave the field out.
 */
export function mayBeMissing<Value>(inner: Field<Value>): Field<Value | null> {
  return field<Value | null>(inner.storage, () => inner.schema, nullishInput(inner), nulled(inner))
}

/** The same field, or null; an import may leave it out. */
export function nullable<Value>(inner: Field<Value>): Field<Value | null> {
  return field<Value | null>(
    inner.storage,
    () => v.nullable(inner.schema),
    nullishInput(inner),
    nulled(inner),
  )
}

/** A field that may be null: of an erased person, nothing remains. */
function nulled<Value>({ personal: whose }: Field<Value>) {
  const erased = whose === null || whose === 'no' ? whose : { erased: null }
  return { nullable: true, personal: erased }
}

/**
 * A field that tells of a person.
 * @param erased the value that remains when the person is erased; a nullable field needs none
 */
export function personal<Value>(
  inner: Field<Value>,
  ...[erased]: null extends Value ? [] : [erased: Value]
): Field<Value> {
  // Only a field that may be null can be declared without a value.
  const remains = { erased: (erased ?? null) as Value }
  return field(
    inner.storage,
    () => inner.schema,
    (context) => inner.input(context),
    {
      nullable: inner.nullable,
      personal: remains,
    },
  )
}

/** A field of any content, of which its declaration says that it does not tell of a person. */
export function impersonal<Value>(inner: Field<Value>): Field<Value> {
  return field(
    inner.storage,
    () => inner.schema,
    (context) => inner.input(context),
    {
      nullable: inner.nullable,
      personal: 'no',
    },
  )
}

function nullishInput<Value>(inner: Field<Value>) {
  return (context: ImportContext) => v.nullish(inner.input(context), null)
}

import { domainToUnicode } from 'node:url'
import { sql, type Expression } from 'kysely'
import * as v from 'valibot'
import { Instant } from '../../../domain/record/field.ts'
import type { ColumnType, RecordedValue, ColumnOf, TableName } from './tables.ts'

/** Facts that the configuration of a source gives, because its rows do not contain them. */
export interface SourceSettings {
  /** The zone of times that were recorded without an offset. */
  readonly timeZone: string
  /** ISO 4217, of amounts that were recorded without a currency. */
  readonly currency: string
}

type AnyColumn = ColumnOf<TableName>

/** The name of a column that holds values of a type. */
type Holding<Type extends ColumnType> = Extract<AnyColumn, { readonly type: Type }>['name']

/** A codec for one column, which holds values of a type. */
type Single<Name, Type> = Codec<{ readonly name: Name; readonly type: Type }>

/**
 * How one field is recorded in a source: in which columns, and what their values mean. The neutral value of a field is the
 * one that the API publishes, whatever the source: an instant in UTC, whole cents, a word of the contract.
 */
export interface Codec<Column = AnyColumn> {
  readonly columns: readonly [Column, ...Column[]]
  /** The neutral value of the columns' values. Throws `Unreadable` for a value without a meaning. */
  read(recorded: readonly RecordedValue[], settings: SourceSettings): unknown
  /** The columns' values that `read` turns into this neutral value. */
  write(neutral: unknown): readonly RecordedValue[]
  /** What a filter compares with its value, of the type of the first column. The schema has an index of it. */
  readonly key: Expression<RecordedValue>
  /** What `key` may be in the rows that have this neutral value. */
  readonly keysOf: (neutral: string | boolean) => readonly RecordedValue[]
}

/** The error for a recorded value without a meaning in the neutral form. It names the column, never the value. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

function codec<Column extends { readonly name: string }>(
  columns: Codec<Column>['columns'],
  read: Codec['read'],
  write: Codec['write'],
): Codec<Column> {
  return {
    columns,
    read,
    write,
    key: sql.ref(columns[0].name),
    keysOf: (neutral) => [write(neutral)[0] ?? null],
  }
}

/** Text kept as it was recorded. */
export function text<Name extends Holding<'text'>>(name: Name): Single<Name, 'text'> {
  return codec(
    [{ name, type: 'text' }],
    ([recorded]) => textOf(recorded),
    (neutral) => [textToWrite(neutral)],
  )
}

/**
 * The normalised form by which addresses are compared, of a column with addresses as they were recorded: an international
 * domain in its own letters, or in ASCII as the neutral form has it.
 */
export function emailKey<Name extends Holding<'text'>>(name: Name): Single<Name, 'text'> {
  return {
    ...text(name),
    key: sql`lower(${sql.ref(name)})`,
    keysOf(neutral) {
      const ascii = String(neutral).toLowerCase()
      const start = ascii.lastIndexOf('@') + 1
      const domain = ascii.slice(start)
      return domain.includes('xn--') ? [ascii, ascii.slice(0, start) + domainToUnicode(domain)] : [ascii]
    },
  }
}

/** A phone number in E.164; null when something else was recorded. */
export function phone<Name extends Holding<'text'>>(name: Name): Single<Name, 'text'> {
  return {
    ...text(name),
    read([recorded]) {
      const number = textOf(recorded)
      return number !== null && /^\+[1-9]\d{1,14}$/.test(number) ? number : null
    },
  }
}

/** An instant recorded in UTC, kept to the millisecond. */
export function instant<Name extends Holding<'instant'>>(name: Name): Single<Name, 'instant'> {
  return codec(
    [{ name, type: 'instant' }],
    ([recorded]) => recordedInstant(textOf(recorded), name),
    (neutral) => [textToWrite(neutral)],
  )
}

/** An instant recorded in UTC; where that is missing, the local time in the source's zone. */
export function instantOrLocalTime<const Utc extends Holding<'instant'>, const Local extends Holding<'text'>>(
  utcName: Utc,
  localName: Local,
): Codec<{ readonly name: Utc; readonly type: 'instant' } | { readonly name: Local; readonly type: 'text' }> {
  return codec(
    [
      { name: utcName, type: 'instant' },
      { name: localName, type: 'text' },
    ],
    ([utc, local], { timeZone }) => {
      const recorded = recordedInstant(textOf(utc), utcName)
      const localTime = textOf(local)
      if (recorded !== null || localTime === null) return recorded
      const converted = instantOfLocalTime(localTime, timeZone)
      if (converted === null) throw new Unreadable(localName)
      return converted
    },
    (neutral) => [textToWrite(neutral), null],
  )
}

function recordedInstant(recorded: string | null, name: string): string | null {
  if (recorded === null) return null
  if (!v.is(Instant, recorded)) throw new Unreadable(name)
  return recorded
}

/** An amount recorded as a decimal, in whole cents. An amount that was not recorded stays null: it is not zero. */
export function money<Name extends Holding<'decimal'>>(name: Name, decimals = 2): Single<Name, 'decimal'> {
  return codec(
    [{ name, type: 'decimal' }],
    ([recorded]) => {
      const amount = textOf(recorded)
      if (amount === null) return null
      const cents = centsOfDecimal(amount)
      if (cents === null) throw new Unreadable(name)
      return cents
    },
    (neutral) => [typeof neutral === 'number' ? decimalOfCents(neutral, decimals) : null],
  )
}

/** A number that is not an amount of money, such as a quantity. */
export function quantity<Name extends Holding<'decimal'>>(name: Name): Single<Name, 'decimal'> {
  return codec(
    [{ name, type: 'decimal' }],
    ([recorded]) => {
      const amount = textOf(recorded)
      if (amount === null) return null
      const value = amount.trim() === '' ? Number.NaN : Number(amount)
      if (!Number.isFinite(value)) throw new Unreadable(name)
      return value
    },
    (neutral) => [typeof neutral === 'number' ? String(neutral) : null],
  )
}

/** The currency of a row; where none was recorded, the source's. */
export function currency<Name extends Holding<'text'>>(name: Name): Single<Name, 'text'> {
  return {
    ...text(name),
    read: ([recorded], settings) => textOf(recorded) ?? settings.currency,
  }
}

/** The source's words for the values of a field, and the value for an unknown or missing word. */
export interface Words {
  /** The source's word of each neutral value. */
  readonly known: Readonly<Record<string, string>>
  /** The neutral value of an unknown word. Without it, a row with an unknown word cannot be read. */
  readonly otherwise?: string | null
  /** The neutral value where no word was recorded. Default: the value of `otherwise`. */
  readonly absent?: string | null
}

/** What `write` records for a neutral value that the source has no word for. */
const NO_WORD = '?'

/** A field whose values the source spells in words of its own. */
export function words<Name extends Holding<'text'>>(
  name: Name,
  { known, ...rest }: Words,
): Single<Name, 'text'> {
  const neutralOf = new Map(Object.entries(known).map(([neutral, word]) => [word, neutral]))
  const absent = 'absent' in rest ? rest.absent : rest.otherwise
  return codec(
    [{ name, type: 'text' }],
    ([recorded]) => {
      const word = textOf(recorded)
      const neutral = word === null ? absent : (neutralOf.get(word) ?? rest.otherwise)
      if (neutral === undefined) throw new Unreadable(name)
      return neutral
    },
    (neutral) => [typeof neutral === 'string' ? (known[neutral] ?? NO_WORD) : null],
  )
}

/**
 * Like `words`, but every other word, and a missing one, means `unknown`. Rows can be filtered by it: an index contains
 * `wordCase`.
 */
export function statusWords<Name extends Holding<'text'>>(
  name: Name,
  known: Readonly<Record<string, string>>,
): Single<Name, 'text'> {
  return {
    ...words(name, { known, otherwise: 'unknown' }),
    key: wordCase(name, known),
    keysOf: (neutral) => [String(neutral)],
  }
}

/** The expression of a status in neutral words, as the schema's indexes spell it. */
function wordCase(name: string, known: Readonly<Record<string, string>>): Expression<RecordedValue> {
  const cases = Object.entries(known).map(
    ([neutral, word]) => sql`when ${sql.lit(word)} then ${sql.lit(neutral)}`,
  )
  return sql`(case ${sql.ref(name)} ${sql.join(cases, sql` `)} else 'unknown' end)`
}

/** A column for yes or no. A missing value, and any other word, is unknown. */
export function flag<Name extends Holding<'text'>>(
  name: Name,
  { yes, no }: { readonly yes: string; readonly no: string },
): Single<Name, 'text'> {
  return codec(
    [{ name, type: 'text' }],
    ([recorded]) => {
      const word = textOf(recorded)
      if (word === yes) return true
      return word === no ? false : null
    },
    (neutral) => [neutral === null ? null : neutral === true ? yes : no],
  )
}

function textToWrite(neutral: unknown): string | null {
  return typeof neutral === 'string' ? neutral : null
}

function textOf(recorded: RecordedValue | undefined): string | null {
  if (recorded === null || recorded === undefined) return null
  return typeof recorded === 'string' ? recorded : String(recorded)
}

const LOCAL = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::[0-5]\d(?:\.\d{1,9})?)?)$/

/** The length of an instant of the years 0000 to 9999; instants of other years have a sign and more digits. */
const INSTANT_LENGTH = '2026-01-01T00:00:00.000Z'.length

/** Whether this is the name of a time zone, such as `America/Chicago`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * The UTC instant of a local time such as `2026-03-08 01:59:30.250` in a time zone. For a time that the clocks showed
 * twice, the earlier instant is taken; one that they skipped is counted with the offset before the change, as calendars
 * do. Null for text that is no local time.
 */
export function instantOfLocalTime(text: string, timeZone: string): string | null {
  const [, date, time] = LOCAL.exec(text.trim()) ?? []
  if (date === undefined || time === undefined) return null
  const local = plainDateTime(`${date}T${time}`)
  if (local === null) return null
  const instant = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).toInstant()
  const written = instant.toString({ fractionalSecondDigits: 3 })
  return written.length === INSTANT_LENGTH ? written : null
}

/** Parses a local date and time; null: there is no such day in the calendar, or no such time of day. */
function plainDateTime(text: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(text)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const DECIMAL = /^(-?)(\d{0,15})(?:\.(\d{0,10}))?$/

/**
 * Whole cents of a decimal amount such as `12.3`, `-0.05` or `12.3450`, without floating point. Parts of a cent are
 * rounded half away from zero. Null for text that is no decimal amount, or of more than 15 digits of whole units.
 */
export function centsOfDecimal(text: string): number | null {
  const match = DECIMAL.exec(text.trim())
  if (match === null) return null
  const [, sign = '', whole = '', fraction = ''] = match
  if (whole === '' && fraction === '') return null
  const digits = fraction.padEnd(3, '0')
  const roundsUp = digits.charCodeAt(2) >= '5'.charCodeAt(0)
  const cents = BigInt(whole === '' ? '0' : whole) * 100n + BigInt(digits.slice(0, 2)) + (roundsUp ? 1n : 0n)
  const signed = Number(sign === '-' ? -cents : cents)
  // Integers outside this range are not exact in JSON.
  return Number.isSafeInteger(signed) ? signed + 0 : null
}

/** The decimal amount of whole cents, with this many decimals (two at least). */
export function decimalOfCents(cents: number, decimals: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2).padEnd(decimals, '0')}`
}

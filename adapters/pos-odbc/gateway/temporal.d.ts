/**
 * The part of `Temporal` that local times need. Node has it, but the compiler's library does not declare it yet. Once
 * it does, the compiler reports these declarations as duplicates, and this file can be removed.
 */
declare namespace Temporal {
  class PlainDateTime {
    /** Throws a `RangeError` for text that is no date and time of the ISO calendar. */
    static from(text: string): PlainDateTime
    toZonedDateTime(timeZone: string, options: { readonly disambiguation: 'compatible' }): ZonedDateTime
  }
  class ZonedDateTime {
    toInstant(): Instant
  }
  class Instant {
    toString(options: { readonly fractionalSecondDigits: 3 }): string
  }
}

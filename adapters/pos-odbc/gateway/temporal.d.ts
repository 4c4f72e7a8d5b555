/**
 * The part of `Temporal` that local times need. Node has it; the compiler's library does not know it yet. The compiler
 * that does will refuse these declarations as repeated ones, and then this file goes.
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

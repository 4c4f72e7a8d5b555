import * as fc from 'fast-check'
import { same, type Drawn } from './drawn.ts'

/** Texts that some part of the way from a file to an answer could read as something else. */
const ODD_TEXTS = [
  '',
  ' ',
  ' padded\t',
  'null',
  'true',
  '0',
  '-1.50',
  '1e3',
  '{"a":[1,null]}',
  '[1]',
  '"',
  '""',
  'say "hi", or \'ho\'',
  'back\\slash \\u0041 \\n',
  'a,b;c',
  'line\nfeed',
  'carriage\rreturn',
  '\r\n',
  'ends with a return\r',
  '\n\nblank lines\n\n',
  '\b\f\t\v\u001b\u001f\u007f\u0085',
  'separators\u2028and\u2029',
  '\ufeffmark',
  '\ufffd\uffff\ue000',
  'é e\u0301 ﬀ İ ß',
  '日本語',
  '\u202eright to left \u05d0\u05d1 \u0627\u0644\u0639',
  '😀👩‍👩‍👧🏳️‍🌈\u{10ffff}',
  '=1+1',
  '; drop table sites; --',
  '? ?1 :a $a @a %s %d %!.17g',
  '</script><!--',
  'a/b?c=d&e#f+g%20h%00',
  '__proto__',
  '2026-01-01T00:00:00.000Z',
]

const printable = ODD_TEXTS.filter((text) => !/\p{Cc}/u.test(text))
const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, '·')

/** The first characters of a text, in UTF-16 units as schemas count them, without half a character at the end. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

/** How long a text may be, in UTF-16 units. */
export interface Length {
  readonly min: number
  readonly max: number
}

function within(texts: readonly string[], { min, max }: Length): readonly string[] {
  return texts.filter((text) => text.length >= min && text.length <= max)
}

/** Any character but half ones and NUL. */
const character = fc
  .oneof(
    fc.integer({ min: 1, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint))

/** Any text without half characters and NUL, which no import accepts. */
export function anyText(length: Length): fc.Arbitrary<string> {
  const { min, max } = length
  const long = Math.min(max, 2_000)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...within(ODD_TEXTS, length)) },
    {
      weight: 3,
      arbitrary: fc.string({ unit: 'grapheme', minLength: min, maxLength: 12 }).map((text) => cut(text, max)),
    },
    {
      weight: 3,
      arbitrary: fc.string({ unit: character, minLength: min, maxLength: 12 }).map((text) => cut(text, max)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...within(ODD_TEXTS, { min: 1, max })), fc.integer({ min: 1, max: long }))
        .map(([text, times]) => cut(text.repeat(times), long)),
    },
  )
}

/** Text without control characters, as identifiers are. */
function printableText(length: Length): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...within(printable, length)) },
    { weight: 3, arbitrary: anyText(length).map(withoutControls) },
    {
      weight: 3,
      arbitrary: fc.string({
        unit: 'grapheme-ascii',
        minLength: Math.max(1, length.min),
        maxLength: Math.min(20, length.max),
      }),
    },
  )
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Instants: mostly of some years around now, so that windows hold some rows and leave some out. */
const instantMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) }) },
  { weight: 1, arbitrary: fc.integer({ min: FIRST_MS, max: LAST_MS }) },
  { weight: 1, arbitrary: fc.constantFrom(FIRST_MS, LAST_MS, 0, -1, 951_782_400_000, 951_868_799_999) },
)

/** An instant in one of the ways of ISO 8601 to write it, and in UTC with milliseconds. */
const instant: fc.Arbitrary<Drawn> = fc
  .tuple(
    instantMs,
    fc.integer({ min: -1439, max: 1439 }),
    fc.constantFrom('Z', 'z', '±', '±', '.'),
    fc.constantFrom('', '0', '456', '999999', '999999999999'),
  )
  .map(([ms, minutes, style, finer]) => {
    const shown = new Date(ms).toISOString()
    const local = ms + minutes * MINUTE_MS
    if (style !== '±' || local < FIRST_MS || local > LAST_MS) {
      const whole = shown.endsWith('.000Z') && style === 'z'
      return {
        given: whole ? shown.replace('.000Z', 'z') : shown.replace('Z', finer + (style === 'z' ? 'z' : 'Z')),
        shown,
      }
    }
    const pad = (value: number) => String(Math.floor(value)).padStart(2, '0')
    const offset = `${minutes < 0 ? '-' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`
    return { given: new Date(local).toISOString().replace('Z', finer + offset), shown }
  })

const date = instantMs.map((ms) =>
  same(new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString().slice(0, 10)),
)

const PHONES = [
  ['212-555-0123', '+12125550123'],
  ['(212) 555-0199', '+12125550199'],
  ['+12125550123', '+12125550123'],
  ['+44 20 7946 0958', '+442079460958'],
  ['+49 30 901820', '+4930901820'],
] as const

const EMAILS = [
  'ada@example.com',
  "O'Neil+tag@Example.COM",
  '!#$%&*/=?^_`{|}~-@x.y',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
]

/** A text as a field takes it that trims it, given with white space around it. */
const withSpaces = (text: string): fc.Arbitrary<Drawn> =>
  fc
    .tuple(fc.constantFrom('', '', ' ', '\u00a0\t'), fc.constantFrom('', '', '  ', '\r\n'))
    .map(([before, after]) => ({ given: before + text.trim() + after, shown: text.trim() }))

/** No id: the first is empty, and a browser takes the others for directions in a path. */
const NO_ID = ['', '.', '..']
const isId = (text: string): boolean => !NO_ID.includes(text)

/** A form of text that fields may ask for. A field that takes its sample takes every text of the form. */
interface Form {
  readonly sample: string
  readonly texts: (length: Length, trims: boolean) => fc.Arbitrary<Drawn>
}

/** The forms that are as free as the field: of these, the first that a field takes. */
const free: readonly Form[] = [
  { sample: 'a\n"\\,😀\u2028é', texts: (length) => anyText(length).map(same) },
  {
    sample: 'a"\\,😀\u2028é',
    texts: (length, trims) =>
      trims
        ? printableText(length)
            .filter((text) => isId(text.trim()))
            .chain(withSpaces)
        : printableText(length).filter(isId).map(same),
  },
]

/** The forms with a meaning: of these, all that a field takes. */
const forms: readonly Form[] = [
  { sample: '2026-01-01T00:00:00Z', texts: () => instant },
  { sample: '2026-02-28', texts: () => date },
  {
    sample: '212-555-0123',
    texts: () => fc.constantFrom(...PHONES).map(([given, shown]) => ({ given, shown })),
  },
  {
    sample: 'ada@example.com',
    texts: (_, trims) =>
      fc.tuple(fc.constantFrom(...EMAILS), fc.constantFrom('', ' ', '\t\n')).map(([shown, space]) => ({
        given: trims ? space + shown + space : shown,
        shown,
      })),
  },
  { sample: '018f3c6e-7b1a-7c3d-9e2f-5a6b7c8d9e0f', texts: () => fc.uuid().chain(withSpaces) },
  { sample: 'USD', texts: () => fc.stringMatching(/^[A-Z]{3}$/).map(same) },
  {
    sample: 'https://example.com/?a=b#c',
    texts: () =>
      fc
        .tuple(
          fc.constantFrom(
            'https://example.com/',
            'http://a.example:8080/ä%20?q=',
            'https://xn--e1afmkfd.example/#',
          ),
          anyText({ min: 0, max: 50 }),
        )
        .map(([start, text]) => same(start + encodeURIComponent(text))),
  },
]

/** The forms of names that machines give, for fields that take no other: the first that a field takes. */
const names: readonly Form[] = [
  {
    sample: 'a!"~\'\\',
    texts: () =>
      fc
        .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 })
        .filter(isId)
        .map((text) => same(text.replaceAll(' ', '~'))),
  },
  { sample: 'aA0_-', texts: () => fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/).map(same) },
]

/** The texts of a field that takes what `takes` says. Throws when it takes none of the known forms. */
export function textsOf(
  takes: (text: string) => boolean,
  length: Length,
  trims: boolean,
): fc.Arbitrary<Drawn> {
  const taken = (of: readonly Form[]) => of.filter(({ sample }) => takes(sample))
  const [first] = taken([...free, ...names])
  const found = first === undefined ? taken(forms) : [first]
  if (found.length === 0) throw new Error('A field takes none of the forms of text in texts.ts')
  return fc.oneof(...found.map(({ texts }) => texts(length, trims)))
}

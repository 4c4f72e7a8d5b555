import { cutText, withLineFeeds } from '../text/typed-text.ts'
import { html } from '../text/html.ts'
import { listOf } from '../text/encoding.ts'
import { suggestion } from '../text/schema-errors.ts'
import { isSensitiveKey } from '../text/sensitive-keys.ts'
import { answersAsTyped } from './language/answers.ts'
import { nameOf, readField } from './language/compile.ts'
import { isAnswerField, type AnswerField } from './language/definition.ts'
import type { Say } from './language/words.ts'
import { answerText, shownFields, truthsOf } from './shown-answers.ts'

// The texts of an automatic message with the answers to a form in them: `{{firstName}}`. This module also runs in
// browsers, so that the preview of a message is what is sent.

/** What a text can be of an automatic message: the keys of a step. */
const messageParts = ['subject', 'html', 'body'] as const
export type MessagePart = (typeof messageParts)[number]

/** The maximum number of messages of an organization's automations to one address or number within any 24 hours. */
export const RECIPIENT_DAILY_MAX = 5

/**
 * How long the answers in a text may be together, and the whole of it when answers are in it, in characters (UTF-16
 * units). A stranger writes the answers: what is over is cut, and the words of the organization never are. A longer text
 * message is refused by providers, and so is a longer subject (RFC 5322, section 2.1.1).
 */
export const answersMax: Readonly<Record<MessagePart, { readonly answers: number; readonly whole: number }>> =
  {
    subject: { answers: 120, whole: 998 },
    html: { answers: 20_000, whole: Number.POSITIVE_INFINITY },
    body: { answers: 400, whole: 1_600 },
  }

/** An id has at most 200 characters; as many spaces may surround it. */
const NAME_MAX_LENGTH = 400

/** A piece of a text: fixed, or the place of an answer. */
type Piece =
  | { readonly text: string }
  /** The id of a field; of no known one, what stands between the braces. */
  | { readonly name: string }

/**
 * The pieces of a text. `{{`, the id of a field and `}}` are the place of its answer; spaces around the id mean nothing,
 * unless the id has them too. Ids may contain braces, so the known ones are looked for first.
 */
function piecesOf(text: string, ids: ReadonlySet<string>): readonly Piece[] {
  const braced = [...ids].filter((id) => /[{}]/.test(id)).sort((left, right) => right.length - left.length)
  const escaped = braced.map((id) => id.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  const known = braced.length === 0 ? '' : String.raw`\s*(?:${escaped.join('|')})\s*|`
  const place = new RegExp(String.raw`\{\{(${known}[^{}]{0,${NAME_MAX_LENGTH}})\}\}`, 'g')
  const pieces: Piece[] = []
  let end = 0
  for (const { index, 0: whole, 1: between = '' } of text.matchAll(place)) {
    pieces.push({ text: text.slice(end, index) }, { name: ids.has(between) ? between : between.trim() })
    end = index + whole.length
  }
  return [...pieces, { text: text.slice(end) }]
}

/** Whether a text may have places of answers. */
export function hasAnswers(text: string): boolean {
  return text.includes('{{')
}

/** The answers of a submission by the ids of the fields that texts may name; empty texts for those without an answer. */
export type MessageAnswers = ReadonlyMap<string, string>

/**
 * The answers as whoever gave them reads them: choices by their labels, lists with commas, phone numbers as they were
 * typed, Yes and No in the language of the form. Fields whose ids read as secrets are left out.
 * @param fields the form's `fields` as they are stored
 * @param say speaks as the form does
 */
export function messageAnswers(
  fields: unknown,
  answers: Readonly<Record<string, unknown>>,
  typed: Readonly<Record<string, string>> | null,
  say: Say,
): MessageAnswers {
  const shown = answersAsTyped(answers, typed)
  const truths = truthsOf(say)
  return new Map(
    shownFields(fields).map((field) => {
      const answer = Object.hasOwn(shown, field.id) ? shown[field.id] : null
      return [field.id, answerText(answer, field, truths)]
    }),
  )
}

/**
 * Answers that somebody might give, for trying a message: to each field that texts may name.
 * @param fields the form's `fields` as they are stored
 */
export function sampleAnswers(fields: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(shownFields(fields).map((field) => [field.id, sampleAnswer(field)]))
}

const sampleOf = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  licensePlate: 'ABC 123',
  email: 'ada@example.com',
  phone: '(212) 555-0123',
} as const

function sampleAnswer({ type, options, contactField, min, label, id }: AnswerField): unknown {
  switch (type) {
    case 'short_text':
    case 'long_text':
      return contactField === null ? `(${label || id})` : sampleOf[contactField]
    case 'email':
    case 'phone':
      return sampleOf[type]
    case 'number':
      return typeof min === 'number' ? min : 12
    case 'date':
      return typeof min === 'string' ? min : '2026-05-20'
    case 'single_choice':
      return options[0]?.value ?? ''
    case 'multiple_choice':
      return options.slice(0, 2).map(({ value }) => value)
    case 'boolean':
    case 'consent':
      return true
  }
}

/**
 * A text with the answers in it. In HTML they are escaped, with `<br>` for their line breaks; in a subject every control
 * character is a space. The place of what the form does not have, or no longer, is empty.
 */
export function filledIn(text: string, part: MessagePart, answers: MessageAnswers): string {
  const pieces = piecesOf(text, new Set(answers.keys()))
  if (pieces.length === 1) return text
  const fixed = pieces.reduce((length, piece) => length + ('text' in piece ? piece.text.length : 0), 0)
  let left = Math.max(0, Math.min(answersMax[part].answers, answersMax[part].whole - fixed))
  const places = part === 'html' ? placesIn(pieces) : []
  const written = pieces.map((piece, index) => {
    if ('text' in piece) return piece.text
    const answer = shortened(plain(answers.get(piece.name) ?? '', part), left)
    left -= answer.length
    return part === 'html' ? asMarkup(answer, places[index] ?? 'elsewhere') : answer
  })
  return written.join('').toWellFormed()
}

function shortened(answer: string, max: number): string {
  if (answer.length <= max) return answer
  return max === 0 ? '' : `${cutText(answer, max - 1)}…`
}

/** An answer without the control characters that its part cannot have. */
function plain(answer: string, part: MessagePart): string {
  if (part === 'subject') return answer.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  return withLineFeeds(answer).replaceAll(/(?![\n\t])\p{Cc}/gu, '')
}

function asMarkup(answer: string, place: Place): string {
  if (place === 'elsewhere') return ''
  const { markup } = html`${answer}`
  return place === 'text' ? markup.replaceAll('\n', '<br>') : markup.replaceAll('\n', ' ')
}

/** Where in HTML something stands: in its text, in a value between quotes, or where an escaped text is not safe. */
type Place = 'text' | 'attribute' | 'elsewhere'

/** The places of the pieces, in their order. */
function placesIn(pieces: readonly Piece[]): readonly Place[] {
  // An answer opens and closes nothing, wherever it is safe, so any letter stands for it.
  const texts = pieces.map((piece) => ('text' in piece ? piece.text : 'x'))
  const spans = spansIn(texts.join(''))
  let [at, span] = [0, 0]
  return texts.map((text) => {
    while (span < spans.length - 1 && (spans[span]?.end ?? 0) <= at) span += 1
    at += text.length
    return spans[span]?.place ?? 'text'
  })
}

interface Span {
  readonly end: number
  readonly place: Place
}

/** What browsers read as text whatever is in it, until its end tag. */
const RAW = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes|noscript|plaintext)$/i

/** Attributes in which a text is a program, or is read as HTML again. */
const UNSAFE = /^(?:on|style$|srcdoc$)/i

/** The spans of HTML, in their order (HTML Living Standard, section 13.2.5, as far as places are concerned). */
function spansIn(markup: string): readonly Span[] {
  const spans: Span[] = []
  const { length } = markup
  const after = (found: number, width: number) => (found === -1 ? length : found + width)
  let at = 0
  while (at < length) {
    const open = markup.slice(at).search(/<[!/?a-z]/i)
    if (open === -1) return [...spans, { end: length, place: 'text' }]
    spans.push({ end: at + open, place: 'text' })
    at += open
    if (markup.startsWith('<!--', at)) at = after(markup.indexOf('-->', at + 4), 3)
    else if (/[!?]/.test(markup[at + 1] ?? '')) at = after(markup.indexOf('>', at), 1)
    else at = tagEnd(markup, at, spans)
    spans.push({ end: at, place: 'elsewhere' })
  }
  return spans
}

/** Where a tag ends, with its raw text if it has any. Adds its values between quotes to the spans. */
function tagEnd(markup: string, start: number, spans: Span[]): number {
  const name = /<\/?([^\s/>]*)/y
  name.lastIndex = start
  const [opened = '', element = ''] = name.exec(markup) ?? []
  const attribute = /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:(["'])|[^\s>]*))?)/y
  let at = start + opened.length
  for (;;) {
    attribute.lastIndex = at
    const match = attribute.exec(markup)
    if (match === null) return markup.length
    const [whole, end, called = '', quote] = match
    at += whole.length
    if (end !== undefined) return RAW.test(element) && opened[1] !== '/' ? rawEnd(markup, at, element) : at
    if (quote === undefined) continue
    const close = markup.indexOf(quote, at)
    if (close === -1) return markup.length
    spans.push({ end: at, place: 'elsewhere' })
    spans.push({ end: close, place: UNSAFE.test(called) ? 'elsewhere' : 'attribute' })
    at = close + 1
  }
}

function rawEnd(markup: string, from: number, element: string): number {
  const found = markup.slice(from).search(new RegExp(`</${element}[\\s/>]`, 'i'))
  return found === -1 ? markup.length : from + found
}

/** What is wrong with a text of a step, by its path: the rest of a sentence that begins with it. */
interface StepProblem {
  readonly field: string
  readonly message: string
}

/**
 * What is wrong with the places of answers in the texts of an automation's steps.
 * @param fields those of the form that triggers it, as they are stored
 */
export function stepProblems(
  steps: readonly Readonly<{ type: string } & Partial<Record<MessagePart, string>>>[],
  fields: unknown,
): readonly StepProblem[] {
  return steps.flatMap((step, index) =>
    messageParts.flatMap((part) =>
      answerProblems(step[part] ?? '', part, fields).map((message) => ({
        field: `steps[${index}].${part}`,
        message,
      })),
    ),
  )
}

/**
 * What is wrong with the places of answers in a text, as rests of sentences that begin with the text's place.
 * @param fields those of the form whose submissions trigger the message, as they are stored
 */
export function answerProblems(text: string, part: MessagePart, fields: unknown): readonly string[] {
  const ids = shownFields(fields).map(({ id }) => id)
  const pieces = piecesOf(text, new Set(ids))
  const places = part === 'html' && pieces.length > 1 ? placesIn(pieces) : []
  const problems = pieces.flatMap((piece, index) => {
    if (!('name' in piece)) return []
    const { name } = piece
    if (!ids.includes(name)) return [unknownName(name, ids, fields)]
    return places[index] === 'elsewhere'
      ? [
          `has {{${name}}} inside a tag, a style, a script or a comment. Put it into the text, or into a value between quotes.`,
        ]
      : []
  })
  return [...new Set(problems)]
}

function unknownName(name: string, ids: readonly string[], fields: unknown): string {
  const other = listOf(fields)
    .map((field, index) => readField(field, index))
    .find((reading) => reading.kind === 'field' && reading.field.id === name)
  const shown = `{{${cutText(name, 60)}}}`
  if (other?.kind !== 'field') {
    const near = suggestion(name, ids).replace(/Did you mean (.*)\?$/s, 'Did you mean {{$1}}?')
    return `has ${shown}, and the form has no field of that id.${near}`
  }
  return isAnswerField(other.field) && isSensitiveKey(name)
    ? `has ${shown}, whose answers are in no message, because the id reads as a secret.`
    : `has ${shown}, and ${nameOf(name)} takes no answer.`
}

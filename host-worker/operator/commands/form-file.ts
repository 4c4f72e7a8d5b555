import { readFileSync } from 'node:fs'
import { foreignFile } from '../../../domain/imports/file/lines.ts'
import { decodeUtf8 } from '../../../domain/text/encoding.ts'
import { isJsonObject, parsedOr } from '../../../domain/text/json.ts'
import { mistakeIn, mistakeText } from '../../../domain/text/json-mistake.ts'
import { CommandError } from '../client/errors.ts'
import { givenPath } from './import-file.ts'

/** A value of a file of forms, and where it is: `line 3` or `form 2`. */
export interface FormInFile {
  readonly at: string
  /** Undefined: what is there is not JSON. */
  readonly value: unknown
  /** Why it is no form: the rest of a sentence that begins with it, or with where it is. Empty: it is an object. */
  readonly problem: string
}

/**
 * What a file of forms has: JSON in any layout, one form or a list of them, or one form a line. Throws a `CommandError`
 * that says where and what, when the file cannot be read, or is JSON in a layout that is broken.
 */
export function formsInFile(path: string): readonly FormInFile[] {
  const content = textOf(path)
  const whole = parsedOr(content, undefined)
  if (whole !== undefined)
    return (Array.isArray(whole) ? whole : [whole]).map((value: unknown, index) =>
      formAt(`form ${index + 1}`, value),
    )
  const lines = content.split('\n').map((text, index) => ({ text: text.trimEnd(), number: index + 1 }))
  const written = lines.filter(({ text }) => text !== '')
  if (!hasFormALine(written.map(({ text }) => text))) throw notJson(path, content)
  return written.map(({ text, number }) => {
    const value = parsedOr(text, undefined)
    if (value !== undefined) return formAt(`line ${number}`, value)
    const { column = 1, problem = '' } = mistakeIn(text) ?? {}
    return { at: `line ${number}, column ${column}`, value, problem: `is not JSON: ${problem}` }
  })
}

/**
 * Whether a text that is no JSON as a whole is meant to have one form a line: every line begins one, or the first line is
 * one. In any other layout a form begins in its first line and ends in a later one.
 */
function hasFormALine(lines: readonly string[]): boolean {
  const [first = ''] = lines
  return (
    isJsonObject(parsedOr(first, undefined)) ||
    (lines.length !== 1 && lines.every((line) => line.startsWith('{')))
  )
}

function formAt(at: string, value: unknown): FormInFile {
  return { at, value, problem: isJsonObject(value) ? '' : 'must be a JSON object' }
}

function notJson(path: string, content: string): CommandError {
  const mistake = mistakeIn(content)
  return new CommandError(`${path} is not JSON: ${mistake === null ? '' : mistakeText(mistake)}.`)
}

function textOf(path: string): string {
  const bytes = bytesOf(path)
  const foreign = foreignFile(bytes)
  if (foreign !== null) throw new CommandError(`${path}: line 1 ${foreign}.`)
  const text = decodeUtf8(bytes)
  if (text === null) throw new CommandError(`${path} is not in UTF-8. Save it as UTF-8.`)
  return text.replace(/^\uFEFF/, '')
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(givenPath(path))
  } catch (cause) {
    throw new CommandError(`${path} cannot be read.`, { cause })
  }
}

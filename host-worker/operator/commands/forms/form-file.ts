import { readFileSync } from 'node:fs'
import { isJsonObject } from '../../../../domain/text/json.ts'
import { CommandError } from '../../client/errors.ts'
import { givenPath } from '../import-file.ts'

/** A value of a file of forms, and where it is: `line 3` or `form 2`. */
export interface FormInFile {
  readonly at: string
  /** Undefined: what is there is not JSON. */
  readonly value: unknown
}

/**
 * What a file of forms has: JSON in any layout, one form or a list of them, or one form a line. Throws a `CommandError`
 * when the file cannot be read, or is JSON in a layout that is broken.
 */
export function formsInFile(path: string): readonly FormInFile[] {
  const content = textOf(path)
  const whole = parsed(content)
  if (Array.isArray(whole)) return whole.map((value: unknown, index) => ({ at: `form ${index + 1}`, value }))
  if (whole !== undefined) return [{ at: 'form 1', value: whole }]
  const lines = content.split('\n').flatMap((line, index) => {
    return line.trim() === '' ? [] : [{ at: `line ${index + 1}`, value: parsed(line) }]
  })
  if (lines.length > 1 && !isJsonObject(lines[0]?.value))
    throw new CommandError(`${path}${placeOfMistake(content)}: this is not JSON.`)
  return lines
}

function textOf(path: string): string {
  try {
    return readFileSync(givenPath(path), 'utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new CommandError(`${path} cannot be read.`, { cause })
  }
}

/** The value of a JSON text; undefined: it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Where a JSON text is broken, as far as the runtime says it. Its own message repeats the text, which may be a password. */
function placeOfMistake(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(String(error)) ?? []
    return position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`
  }
}

import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { FormPath } from '../../../../../domain/forms/definition/problem.ts'
import { mistakeIn, mistakeText } from '../../../../../domain/text/json-mistake.ts'
import { isJsonObject } from '../../../../../domain/text/json.ts'
import type { FormJson } from './editing.ts'

/** A part of a text, by the positions of its first character and of the one behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The form that a source is, or why it is none. */
export type SourceReading =
  | { readonly kind: 'form'; readonly form: FormJson }
  | { readonly kind: 'wrong'; readonly sentence: string; readonly place: Span }

/** Reads a source. */
export function readSource(source: string): SourceReading {
  try {
    const value: unknown = JSON.parse(source)
    if (isJsonObject(value)) return { kind: 'form', form: value }
    return {
      kind: 'wrong',
      sentence: 'A form is a JSON object, in { and }.',
      place: { start: 0, end: source.length },
    }
  } catch {
    const mistake = mistakeIn(source)
    if (mistake === null) throw new Error('A text that cannot be parsed has no mistake')
    const start = Math.min(mistake.offset, source.length)
    const place = { start, end: Math.min(start + 1, source.length) }
    const text = mistakeText(mistake)
    return { kind: 'wrong', sentence: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, place }
  }
}

/** Where a part of a form stands in its source: the part itself, else the smallest one around it that is there. */
export function placeIn(source: string, path: FormPath): Span {
  const tree = parseTree(source)
  const paths = path.map((_, index) => path.slice(0, path.length - index))
  const node =
    tree &&
    [...paths, []].map((part) => findNodeAtLocation(tree, [...part])).find((found) => found !== undefined)
  return node === undefined ? { start: 0, end: 0 } : { start: node.offset, end: node.offset + node.length }
}

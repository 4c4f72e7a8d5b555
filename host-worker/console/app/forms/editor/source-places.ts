import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { FormPath } from '../../../../../domain/forms/definition/problem.ts'
import { isJsonObject } from '../../../../../domain/text/json.ts'
import type { FormJson } from './state/form-json.ts'

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
    const place = placeOfError(source)
    const sentence = `Line ${lineOf(source, place.start)} is not JSON: something is missing, or too much, near “${near(source, place)}”.`
    return { kind: 'wrong', sentence, place }
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

/** The number of the line in which a position is. */
export function lineOf(source: string, position: number): number {
  return source.slice(0, position).split('\n').length
}

function placeOfError(source: string): Span {
  const errors: { offset: number; length: number }[] = []
  parseTree(source, errors as Parameters<typeof parseTree>[1], { disallowComments: true })
  const [{ offset, length } = { offset: source.length, length: 0 }] = errors
  return { start: offset, end: offset + length }
}

function near(source: string, { start }: Span): string {
  return source.slice(Math.max(0, start - NEAR), start + NEAR).trim()
}

const NEAR = 12

import { utf8 } from '../../../domain/text/encoding.ts'
import type { ImportFormat } from '../../../ports/import-sessions.ts'
import type { JsonObject } from './drawn.ts'

/** JSON in which a negative zero keeps its sign, as other programs write it. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (Object.is(inner, -0) ? rawJson('-0') : inner))
}

const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/** First lines of a CSV file, and by what its cells are then separated. */
const BEGINNINGS = [
  ['', ','],
  ['sep=,\r\n', ','],
  ['sep=;\r\n', ';'],
  ['"SEP=\t"\n', '\t'],
  ['\ufeffsep=;\n', ';'],
] as const

/** How a file is written; `version` chooses its first line. */
export interface FileForm {
  readonly format: ImportFormat
  readonly version: number
}

const beginningOf = ({ version }: FileForm) => BEGINNINGS[version % BEGINNINGS.length] ?? BEGINNINGS[0]

/** A file of lines, as any program would write it. */
export function fileOf(form: FileForm, lines: readonly JsonObject[]): Uint8Array<ArrayBuffer> {
  return utf8(
    form.format === 'ndjson'
      ? lines.map((line) => `${jsonOf(line)}\n`).join('')
      : csvOf(lines, beginningOf(form)),
  )
}

/** How many lines of the file come before its first row. */
export function linesBeforeRows(form: FileForm): number {
  if (form.format === 'ndjson') return 0
  return beginningOf(form)[0] === '' ? 1 : 2
}

function csvOf(lines: readonly JsonObject[], [beginning, separator]: (typeof BEGINNINGS)[number]): string {
  const header = [...new Set(lines.flatMap((line) => Object.keys(line)))]
  const records = lines.map((line) => header.map((name) => cellOf(line[name])))
  return beginning + [header, ...records].map((cells) => `${cells.join(separator)}\r\n`).join('')
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : jsonOf(value)
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

import { utf8 } from '../../../domain/text/encoding.ts'
import type { ImportFormat } from '../../../ports/records/import-sessions.ts'
import type { JsonObject } from './drawn.ts'

/** JSON in which a negative zero keeps its sign, as other programs write it. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (Object.is(inner, -0) ? rawJson('-0') : inner))
}

const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/** A file of lines, as any program would write it. */
export function fileOf(format: ImportFormat, lines: readonly JsonObject[]): Uint8Array<ArrayBuffer> {
  return utf8(format === 'ndjson' ? lines.map((line) => `${jsonOf(line)}\n`).join('') : csvOf(lines))
}

function csvOf(lines: readonly JsonObject[]): string {
  const header = [...new Set(lines.flatMap((line) => Object.keys(line)))]
  const records = lines.map((line) => header.map((name) => cellOf(line[name])))
  return [header, ...records].map((cells) => `${cells.join(',')}\r\n`).join('')
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : jsonOf(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

import type { Entry } from './entry.ts'
import { unreadable } from './entry.ts'
import type { Line } from './lines.ts'
import { isJsonObject, parseJson } from '../text/json.ts'

/** Reads one JSON object per line. Blank lines are skipped. */
export async function* readNdjson(lines: AsyncIterable<Line>): AsyncGenerator<Entry> {
  for await (const { number, text, problem } of lines) {
    if (text === null) yield unreadable(number, problem ?? 'cannot be read')
    else if (text.trim() !== '') yield readObject(number, text)
  }
}

function readObject(line: number, text: string): Entry {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? { line, record: value } : unreadable(line, 'must be a JSON object')
  } catch {
    return unreadable(line, 'is not valid JSON')
  }
}

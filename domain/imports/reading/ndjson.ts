import { isJsonObject, parsedOr } from '../../text/json.ts'
import { mistakeIn } from '../../text/json-mistake.ts'
import type { RecordReading } from '../file/csv.ts'
import { unreadable, type Entry } from '../file/entry.ts'
import type { Line } from '../file/lines.ts'

/** Reads one JSON object per line. Blank lines are skipped. */
export function* readNdjson(lines: Iterable<Line>): Generator<RecordReading> {
  for (const line of lines) {
    yield { entries: entriesOf(line), isSkipped: false, nextLine: line.number + 1, end: line.end }
  }
}

function entriesOf({ number, text, problem }: Line): readonly Entry[] {
  if (text === null) return [unreadable(number, problem ?? 'cannot be read')]
  return text.trim() === '' ? [] : [readObject(number, text)]
}

function readObject(line: number, text: string): Entry {
  const value = parsedOr(text, undefined)
  if (value === undefined) {
    const { column = 1, problem = '' } = mistakeIn(text) ?? {}
    const said = `is not JSON: column ${column}: ${problem}`
    return unreadable(line, `${said}. Write one object a line, such as {"name":"Ada"}`)
  }
  return isJsonObject(value)
    ? { line, record: value }
    : unreadable(line, 'must be a JSON object, such as {"name":"Ada"}')
}

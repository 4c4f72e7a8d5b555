import { expect, test } from 'vitest'
import { readSource } from './app/forms/editing.ts'

test.each<[source: string, sentence: string, selected: string]>([
  ['{ "formId": "a", }', 'Line 1, column 16: there is a comma too many before the }.', ','],
  ['{\n  "formId": "a"\n  "name": "b"\n}', 'Line 3, column 3: a comma or } was expected.', '"'],
  ['{', 'Line 1, column 2: the text ends here, but } is missing for the { in line 1, column 1.', ''],
])('the source %j is told where it is wrong', (source, sentence, selected) => {
  const reading = readSource(source)
  if (reading.kind !== 'wrong') throw new Error('It was read')
  expect([reading.sentence, source.slice(reading.place.start, reading.place.end)]).toEqual([
    sentence,
    selected,
  ])
})

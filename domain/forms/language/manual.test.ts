import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formLineKeys, readFormLine } from './check.ts'
import { answerTypes, contactFields, displayTypes, ruleOperators } from './definition.ts'
import { fieldKeys, headlessSupport } from './compile.ts'
import { formWarnings } from './warnings.ts'

const manual = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')

test('the manual names every key, type, setting and operator of the language', () => {
  const words = [
    ...[...formLineKeys, ...fieldKeys, ...answerTypes, ...displayTypes, ...ruleOperators, ...contactFields],
  ]
  expect(words.filter((word) => !manual.includes(`\`${word}\``))).toEqual([])
})

test('its form can be submitted here, and has nothing to warn of', () => {
  const form = JSON.parse(/```json\n(\{\n.*?)```/s.exec(manual)?.[1] ?? '') as Record<string, unknown>
  const reading = readFormLine(form)
  if ('issues' in reading) throw new Error(JSON.stringify(reading.issues))
  expect(headlessSupport(reading.form.definition)).toEqual({ supported: true, reasons: [] })
  expect(formWarnings(reading.form.definition)).toEqual([])
})

import { expect, test } from 'vitest'
import { importKindNames } from './kinds.ts'
import { templateCsv, templateOf } from './template.ts'

test.each(importKindNames)('%s', (name) => {
  console.log(templateCsv(templateOf(name)), JSON.stringify(templateOf(name).filter(c=>c.isRequired).map(c=>c.name)))
  expect(1).toBe(1)
})

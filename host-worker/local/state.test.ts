import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../test/support/pos/pos-gateway.ts'
import { earlierStateNotice, persistPath } from './state.ts'

it('tells of databases of an earlier version once, before the first ones of this version are made', () => {
  const directory = scratchFolder()
  expect(earlierStateNotice(directory)).toBe(null)
  mkdirSync(join(directory, 'v3'))
  expect(earlierStateNotice(directory)).toContain(
    `${join(directory, 'v3')} holds databases of an earlier version`,
  )
  mkdirSync(persistPath(directory), { recursive: true })
  expect(earlierStateNotice(directory)).toBe(null)
})

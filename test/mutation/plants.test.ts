import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../host-worker/local/project.ts'
import { plants } from './plants.ts'
import { textOf } from './project.ts'

test('each text of a planted mistake stands once in its file, and the tests that notice it are there', () => {
  expect(plants.length).toBeGreaterThan(200)
  for (const { file, from, to, tests } of plants) {
    expect([file, from, textOf(file).split(from).length - 1]).toEqual([file, from, 1])
    expect(to).not.toBe(from)
    expect(tests.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  }
})

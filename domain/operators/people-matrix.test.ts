import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operatorEndpoints } from '../operator-api.ts'
import { opens } from './serve.ts'

const roles = ['member', 'owner', 'support', 'admin'] as const

/** What each role opens, as a table of Markdown without the spaces that only align it. */
function matrix(): readonly string[] {
  const rows = operatorEndpoints.flatMap(({ id, access, openTo }) => {
    if (access === 'public' || access === 'signed_in') return []
    return [
      `| \`${id}\` | ${roles.map((role) => (opens(role, { access, openTo }) ? 'yes' : '')).join(' | ')} |`,
    ]
  })
  return [`| Operation | ${roles.map((role) => `\`${role}\``).join(' | ')} |`, ...rows].map(unaligned)
}

const unaligned = (line: string) => line.replaceAll(/ +/g, ' ')

test('the manual says of every operation to which roles it is open', () => {
  const manual = readFileSync(new URL('README.md', import.meta.url), 'utf8')
  const lines = manual.split('\n').map(unaligned)
  const start = lines.findIndex((line) => line.startsWith('| Operation |'))
  const written = lines.slice(start).filter((_, index) => index !== 1)
  expect(written.slice(0, matrix().length)).toEqual(matrix())
})

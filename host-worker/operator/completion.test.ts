import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allCommands } from './run-operator.ts'
import { completionEntries, completionScripts } from './commands/completion.ts'
import { scratchFolder } from '../../test/support/scratch/scratch-folder.ts'

const entries = completionEntries(await allCommands())
const directory = scratchFolder()
writeFileSync(join(directory, 'contacts.csv'), '')

/** How each shell is asked for what it offers after some words. The words come as arguments. */
const drivers = {
  bash: {
    flags: ['--norc', '--noprofile'],
    ask: 'COMP_WORDS=(tenant-data "$@"); COMP_CWORD=$#; _tenant_data; printf "%s\\n" "${COMPREPLY[@]}"',
  },
  // Outside of its line editor, zsh has no completion of its own: its two builtins are replaced.
  zsh: {
    flags: ['-f'],
    before: 'compdef() { : }; _files() { print contacts.csv }; compadd() { shift 4; print -l -- $@ }',
    ask: 'words=(tenant-data "$@"); CURRENT=$#words; _tenant_data',
  },
  fish: {
    flags: ['-N'],
    ask: 'complete -C "tenant-data "(string join -- " " $argv) | string replace -r "\\t.*" ""',
  },
} as const

type Shell = keyof typeof drivers
const shells = (Object.keys(drivers) as Shell[]).filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

function offered(shell: Shell, ...words: readonly string[]): readonly string[] {
  const driver = drivers[shell]
  const before = 'before' in driver ? driver.before : ''
  const script = [before, completionScripts[shell](entries), driver.ask].join('\n')
  const path = join(directory, shell)
  writeFileSync(path, script)
  const ran = spawnSync(shell, [...driver.flags, path, ...words], { cwd: directory, encoding: 'utf8' })
  expect(ran.stderr).toBe('')
  return ran.stdout.split('\n').filter((line) => line !== '')
}

test('bash is here, at least', () => {
  expect(shells).toContain('bash')
})

describe.each(shells)('%s offers', (shell) => {
  test.each([
    [
      ['org', ''],
      ['create', 'show', 'list', 'move', 'export', 'restore', 'delete'],
    ],
    [
      ['org', 'create', '--place', ''],
      ['shared', 'own'],
    ],
    [['key', 'list', '--org', 'x', '--j'], ['--json']],
    [
      ['audit', '--action', 'key.'],
      ['key.issue', 'key.revoke', 'key.rotate'],
    ],
    [
      ['import', ''],
      ['contacts', 'sites'],
    ],
    [['import', 'contacts', ''], ['contacts.csv']],
    [
      ['import', 'contacts', 'x.csv', '--'],
      ['--org', '--format'],
    ],
    [['help', 'form', 'sh'], ['show']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['backup', 'run', '--to', ''], ['contacts.csv']],
    [['org', 'create', '--name', ''], []],
    [['form', 'show', ''], []],
    [['au'], ['audit']],
  ])('after %j %j', (words, wanted) => {
    const found = offered(shell, ...words)
    expect(found).toEqual(expect.arrayContaining([...wanted]))
    if (wanted.length === 0) expect(found).toEqual([])
  })
})

test('every word of every command is offered, and its values', async () => {
  const at = new Map(entries.map((entry) => [entry.at, entry.next]))
  expect(at.size).toBe(entries.length)
  for (const { words, flags, positionals } of await allCommands()) {
    const called = words.join(' ')
    const names = at.get(called)
    for (const [name, { value }] of Object.entries(flags)) {
      expect(names).toContainEqual({ word: `--${name}` })
      expect(at.has(`${called} --${name}`)).toBe(value !== null)
    }
    for (const index of positionals.keys()) expect(at.has(`${called} <${index + 1}>`)).toBe(true)
  }
})

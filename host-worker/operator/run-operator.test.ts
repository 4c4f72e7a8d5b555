import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operatorEndpoints } from '../../domain/operator-api.ts'
import type { OperationEndpoint } from '../../domain/record/operation.ts'
import { readArguments, synopsisOf, type Command } from './command.ts'
import { allCommands, commandFor } from './run-operator.ts'

const commands = await allCommands()

/** Operations that no command calls, because only programs need them. */
const FOR_PROGRAMS = [
  ...['operatorContract.get', 'imports.show', 'importKinds.list'],
  ...['people.show', 'people.save'],
  ...['me.get', 'me.sessions', 'me.endSession', 'me.endSessions'],
]

it('covers the whole interface', () => {
  const called = new Set(commands.flatMap(({ operations }) => operations.map(({ id }) => id)))
  const left = operatorEndpoints.map(({ id }) => id).filter((id) => !called.has(id))
  expect(left.sort()).toEqual([...FOR_PROGRAMS].sort())
})

it('calls nothing that the interface does not have', () => {
  const operations = commands.flatMap((command) => command.operations)
  expect(
    operations.filter((operation) => !operatorEndpoints.some((endpoint) => endpoint === operation)),
  ).toEqual([])
})

it('finds each command by its words', async () => {
  for (const command of commands) expect(await commandFor([...command.words, 'more'])).toBe(command)
  expect(await commandFor(['toString'])).toBe(null)
})

it('sets what an operation takes, and has an argument for each parameter of its path that no flag sets', () => {
  for (const operation of operatorEndpoints)
    for (const { flags = {}, positionals = [], several, argument, instead = {} } of operation.commands) {
      const byFlags = Object.values(flags).flatMap(({ sets }) => (sets === undefined ? [] : [sets]))
      const set = [...byFlags, ...[several, argument].filter((name) => name !== undefined)]
      const called = [operation, ...Object.values(instead).map((other) => other.operation)]
      const takes = new Set(called.flatMap(inputsOf))
      expect(set.filter((name) => !takes.has(name))).toEqual([])
      const ofPath = positionals.filter((name) => !name.endsWith('…'))
      expect(positionals.length - ofPath.length).toBe(several === undefined ? 0 : 1)
      const free = paramsOf(operation).filter((name) => !set.includes(name))
      expect(ofPath).toHaveLength(free.length + (argument === undefined ? 0 : 1))
    }
})

function paramsOf({ path }: OperationEndpoint): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function inputsOf(operation: OperationEndpoint): readonly string[] {
  const { query, body } = operation
  const keys = body !== null && 'entries' in body.schema ? Object.keys(body.schema.entries as object) : []
  return [...paramsOf(operation), ...Object.keys(query ?? {}), ...keys]
}

it('explains itself by examples that it accepts', () => {
  for (const command of commands) {
    expect(command.examples).not.toEqual([])
    for (const example of command.examples) {
      const [call = ''] = example.split(' > ')
      const words = [...call.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
      expect(readArguments(command, words).values).toBeDefined()
    }
  }
})

it('is listed in the manual, each command with its summary', () => {
  const manual = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const rows = [...manual.matchAll(/^\| (`.*`) +\| (.*?) +\|$/gm)].map(([, call, does]) => [call, does])
  expect(rows).toEqual(tableRows(commands))
})

/** The number of optional flags that the manual shows for a command with too many to show all. */
const SHOWN_FLAGS = 2

/** The commands as rows of a table of the manual: the call and what the command does. */
function tableRows(of: readonly Command[]): readonly (readonly [call: string, does: string])[] {
  return of.map((command) => {
    const optional = Object.entries(command.flags).filter(([, { presence }]) => presence === 'optional')
    const hidden = optional.length > SHOWN_FLAGS + 1 ? optional.slice(SHOWN_FLAGS).map(([name]) => name) : []
    const shown = Object.entries(command.flags).filter(([name]) => !hidden.includes(name))
    const synopsis = synopsisOf({ positionals: command.positionals, flags: Object.fromEntries(shown) })
    const call = [...command.words, synopsis, hidden.length > 0 ? '…' : '']
    const text = call.filter((part) => part !== '').join(' ')
    return [`\`${text.replaceAll('|', '\\|')}\``, `${command.summary}.`]
  })
}

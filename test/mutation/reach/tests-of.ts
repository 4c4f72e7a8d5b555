import type ts from 'typescript'
import type { Mutant } from '../mutant.ts'
import { functionsOf, isCalled, nodeAt, ownerOf, statementAround } from './owners.ts'
import type { Reach } from './record.ts'
import { createReferences, pathOf, type References } from './references.ts'

/** Test files that run the service, or objects, on the Workers runtime call this file. */
const BUNDLER = 'test/support/services/built-worker.ts'

/** Tells which test files can notice a mutant, in no particular order. */
export type TestsOf = (mutant: Mutant) => readonly string[]

/**
 * A mutant in a function can be noticed by the test files that call the function. What runs when a file is loaded can
 * be noticed by those that call a function which uses it, also through other such statements. Calls on the Workers
 * runtime cannot be noted, so code that nothing calls on Node is tried with all test files that bundle the Worker.
 */
export function createTestsOf(program: ts.Program, reach: Reach): TestsOf {
  const references = createReferences(program)
  const callers = callersByFunction(reach)
  const bundling = Object.keys(reach).filter((test) => reach[test]?.calls[BUNDLER] !== undefined)
  const sources = new Map(program.getSourceFiles().map((source) => [pathOf(source), source]))
  return ({ file, edits }) => {
    const source = sources.get(file)
    if (source === undefined) return []
    const owners = edits.map(({ start, end }) => ownerOf(nodeAt(source, start, end)))
    const found = new Set(usersOf(owners, references).flatMap((user) => testsThatRun(user, callers)))
    return (found.size === 0 ? bundling : [...found]).filter((test) => reach[test]?.passes)
  }
}

/**
 * The functions among the owners, and all that use the others directly or through further statements. A function may
 * also be called when a file is loaded, so the statements that use it belong to these others.
 */
function usersOf(owners: readonly ts.Node[], references: References): readonly ts.Node[] {
  const found = new Set(owners)
  // The set grows during the loop.
  for (const user of found) {
    const users = [...references(user), ...references(statementAround(user))]
    for (const further of users) if (!isCalled(user) || !isCalled(further)) found.add(further)
  }
  return [...found]
}

function testsThatRun(user: ts.Node, callers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const source = user.getSourceFile()
  const file = pathOf(source)
  if (file.endsWith('.test.ts')) return [file]
  if (!isCalled(user)) return []
  return callers.get(keyOf(file, functionsOf(source).indexOf(user))) ?? []
}

function keyOf(file: string, number: number): string {
  return `${file}#${number}`
}

function callersByFunction(reach: Reach): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>()
  for (const [testFile, { calls }] of Object.entries(reach))
    for (const [file, numbers] of Object.entries(calls))
      for (const number of numbers) {
        const key = keyOf(file, number)
        callers.set(key, [...(callers.get(key) ?? []), testFile])
      }
  return callers
}

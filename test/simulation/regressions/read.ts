import { readdirSync, readFileSync } from 'node:fs'
import { mutantNamed } from '../mutants/index.ts'
import type { Mutant } from '../service/universe.ts'
import type { Shrunk } from '../shrink.ts'

/** Decisions by which the simulation found a mistake in the service. */
export interface Regression extends Shrunk {
  /** The name of the mistake, which is that of the file. */
  readonly name: string
  /** The mutant that plants the mistake again. */
  readonly mutant: Mutant
}

/** The regressions of this folder. */
export function readRegressions(): readonly Regression[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'))
  return files.sort().map((file) => {
    const path = `${import.meta.dirname}/${file}`
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Shrunk & { readonly mutant: string }
    const mutant = mutantNamed(stored.mutant)
    if (mutant === undefined) throw new Error(`There is no mutant ${stored.mutant}`)
    return { ...stored, name: file.replace('.json', '').replaceAll('-', ' '), mutant }
  })
}

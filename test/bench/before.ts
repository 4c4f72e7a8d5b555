import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchCases, type Case } from './cases.ts'
import type { Contender } from './compare.ts'
import type * as OwnFiles from './own-files.ts'
import type * as Prepare from './prepare.ts'
import type { Seeded } from './prepare.ts'
import type { Target } from './runtime.ts'

/** An earlier state of the service, built and seeded by the bench of its own checkout. */
export interface Before {
  /** The entry of its built Worker. */
  readonly script: string
  readonly seeded: Seeded
  /** Fills the files of an organization with a database of its own, as that state stores them. */
  readonly ownFiles: typeof OwnFiles
}

/**
 * Builds and seeds the service of another checkout, in which `npm ci` was run.
 * @param folder a folder for its files, which this function's caller removes
 */
export async function openBefore(checkout: string, folder: string): Promise<Before> {
  const home = process.cwd()
  // The bench finds the project's files by paths that are relative to the checkout.
  process.chdir(checkout)
  try {
    const { buildWorker, seedImage } = (await ofCheckout('prepare.ts')) as typeof Prepare
    const script = buildWorker(folder)
    const seeded = await seedImage(script, folder)
    return { script, seeded, ownFiles: (await ofCheckout('own-files.ts')) as typeof OwnFiles }
  } finally {
    process.chdir(home)
  }
}

/** The earlier state as a contender in a case. */
export function beforeOf({ name }: Case, { key, contactId }: Seeded, target: Target): Contender {
  const same = benchCases(contactId, key).find((each) => each.name === name)
  if (same === undefined) throw new Error(`There is no case ${name}`)
  return { name: 'before', target, shot: same.shot, aim: null }
}

/** A module of the bench of the checkout that is the working directory. */
async function ofCheckout(file: string): Promise<unknown> {
  return import(pathToFileURL(resolve(join('test/bench', file))).href)
}

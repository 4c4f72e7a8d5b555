import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { projectRoot } from '../../host-worker/local/project.ts'
import { changesOf } from './operators/code.ts'
import { mutantOf, type Mutant } from './mutant.ts'

/** The folders of the product, without what runs in browsers. */
const PRODUCT = /^(?:ports|domain|adapters|host-worker)\/(?!browser\/).*\.ts$/
const NOT_PRODUCT = /\.(?:test|test-d|d)\.ts$/

/** What is not part of the project: packages, what was built, and what tools and people keep in hidden folders. */
const isForeign = (name: string) =>
  name === 'node_modules' || name === 'dist' || (name.startsWith('.') && name !== '.config' && name !== '.ci')

/** The files of the project, relative to its root. */
export function projectFiles(folder = ''): readonly string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (isForeign(entry.name)) return []
    return entry.isDirectory() ? projectFiles(path) : [path]
  })
}

/** The files of the product in a folder, or the file itself. */
export function productFiles(folder = ''): readonly string[] {
  const isWithin = (path: string) => folder === '' || path === folder || path.startsWith(`${folder}/`)
  return projectFiles().filter((path) => PRODUCT.test(path) && !NOT_PRODUCT.test(path) && isWithin(path))
}

/** The files with tests that need nothing but Node, without those of this tool. */
export function testFiles(): readonly string[] {
  return projectFiles().filter((path) =>
    /^(?:domain|adapters|host-worker|test\/(?!mutation))\/?.*\.test\.ts$/.test(path),
  )
}

/** The files that tests share. Some of them use what the product exports. */
export function supportFiles(): readonly string[] {
  return projectFiles().filter(
    (path) => /^test\/(?!ci|bench|client|mutation).*\.ts$/.test(path) && !NOT_PRODUCT.test(path),
  )
}

/** The text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** A file as the compiler reads it. */
export function parsed(path: string, text = textOf(path)): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

/** All mutants of a file. */
export function mutantsOf(file: string): readonly Mutant[] {
  const source = parsed(file)
  return changesOf(source).map((change) => mutantOf(file, source.text, change))
}

/**
 * A copy of the project in a folder of its own. Files are changed in the copy, so that everything that reads them sees
 * the change, bundlers and started programs too, and the working tree never does.
 */
export function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutation-'))
  for (const path of projectFiles()) {
    mkdirSync(join(copy, dirname(path)), { recursive: true })
    cpSync(join(projectRoot, path), join(copy, path))
  }
  // Packages are shared, but not the folders in which tools keep what they made of the sources.
  mkdirSync(join(copy, 'node_modules'))
  const caches = new Set(['.cache', '.vite', '.vite-temp', '.vitest-cache'])
  for (const name of readdirSync(join(projectRoot, 'node_modules')))
    if (!caches.has(name))
      symlinkSync(join(projectRoot, 'node_modules', name), join(copy, 'node_modules', name))
  return copy
}

import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../../../host-worker/local/project.ts'
import type { Mutant } from './mutants.ts'

/**
 * Plants a mistake in the modules that this process loads from now on; no file is changed. Throws, when the module is
 * loaded, if the code does not have the text any more.
 */
export function plant({ name, file, from, to }: Mutant): void {
  const target = pathToFileURL(join(projectRoot, file)).href
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== target) return loaded
      const source = new TextDecoder().decode(loaded.source as Uint8Array)
      if (!source.includes(from)) throw new Error(`${file} has no place for the mistake: ${name}`)
      return { ...loaded, source: source.replaceAll(from, () => to) }
    },
  })
}

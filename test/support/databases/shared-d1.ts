import { inject } from 'vitest'
import { databasesOf, type D1Place, type LocalD1 } from './d1.ts'
import { migratedImage } from './migrated-image.ts'

/**
 * Opens unused databases in the runtime that all test files of a run share (shared-runtimes.ts), each a copy of the
 * image. Default: an image with nothing but the service's migrations.
 */
export async function openSharedD1(count = 1, image = migratedImage()): Promise<LocalD1> {
  const response = await fetch(`${inject('sharedRuntimes')}/databases?count=${count}`)
  if (!response.ok) throw new Error(await response.text())
  return databasesOf((await response.json()) as D1Place, image)
}

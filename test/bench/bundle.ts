import { gzipSync } from 'node:zlib'
import { bundleWorker, loadedFirst, loadedWith } from '../../host-worker/bundle/bundle-worker.mjs'

/** Prints how much of the Worker an isolate loads before its first request, and how much each part adds on demand. */
export async function printBundle(): Promise<void> {
  const { files, modules } = await bundleWorker()
  const texts = new Map(files.map(({ path, contents }) => [path, contents]))
  const sizeOf = (paths: Iterable<string>): string => {
    const contents = [...paths].map((path) => texts.get(path) ?? new Uint8Array())
    const bytes = contents.reduce((sum, { length }) => sum + length, 0)
    const gzip = contents.reduce((sum, each) => sum + gzipSync(each).length, 0)
    return `${kilobytes(gzip)} gzip (${kilobytes(bytes)})`
  }
  const first = loadedFirst(modules)
  console.log(`bundle, loaded before the first request: ${sizeOf(first)}`)
  for (const [path, { source }] of modules) {
    if (source === null || first.has(path)) continue
    const added = [...loadedWith(modules, path)].filter((each) => !first.has(each))
    console.log(`  ${source}, loaded on demand: ${sizeOf(added)}`)
  }
  console.log(`  upload: ${sizeOf(modules.keys())}`)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

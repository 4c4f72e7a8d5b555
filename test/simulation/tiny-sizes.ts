import { registerHooks } from 'node:module'

/**
 * The service's sizes that a run with `--tiny` makes so small that every one of them is crossed, and the patience of the
 * check that depends on them: by file and constant. Rows, entries, bytes, or ms.
 */
const tinySizes: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'adapters/sqlite/imports/sessions.ts': { CHUNK_MAX_ROWS: 2, MATCHED_CHUNK_MAX_ROWS: 2 },
  'adapters/sqlite/move/moved-rows.ts': { PAGE_BYTES_MAX: 700 },
  'adapters/sqlite/move/place.ts': { DELETED_MAX: 2, JSON_BYTES_MAX: 250 },
  'adapters/sqlite/outbox/automation.ts': { FORGOTTEN_MAX: 2 },
  'adapters/sqlite/read/reading.ts': { TEXT_MAX_BYTES: 500, ROWS_MAX_BYTES: 900 },
  'domain/access/authenticate.ts': { KEYS_MAX: 1 },
  'domain/forms/outbox.ts': { SINGLES_MAX: 2 },
  'domain/imports/file/transfer.ts': { BUCKET_BYTES: 300 },
  'domain/imports/write.ts': { REFS_MAX: 1 },
  'domain/jobs/deliver.ts': { ENTRIES_MAX: 300, SWEPT_MAX: 1 },
  'domain/placement/move/world.ts': {
    SMALL_ROUND: 2,
    TABLES_A_STEP: 2,
  },
  'domain/placement/move/advance.ts': { TABLES_OF_LAST_STEP: 20 },
  'domain/placement/operators/moves.ts': { MOVES_MAX: 1 },
  'domain/placement/find/visit-families.ts': { FAMILIES_MAX: 1 },
  'domain/read/page.ts': { TEXTS_MAX_BYTES: 600 },
  // One family is looked after each minute, so the last of them waits for the others, and for a move of its own.
  'test/simulation/invariants/entries.ts': { LATE_MS: 320_000 },
}

/**
 * Loads the service with tiny sizes from now on. The sizes are constants of modules, so they are changed in the source
 * while it is loaded; a constant that is not there any more ends the run.
 */
export function makeSizesTiny(): void {
  const root = new URL('../../', import.meta.url).href
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const sizes = url.startsWith(root) ? tinySizes[url.slice(root.length)] : undefined
      if (sizes === undefined) return loaded
      const { source } = loaded
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
      return { ...loaded, source: Object.entries(sizes).reduce(withSize, text) }
    },
  })
}

function withSize(source: string, [name, size]: readonly [string, number]): string {
  const constant = new RegExp(`^((?:export )?const ${name} = ).+$`, 'm')
  if (!constant.test(source)) throw new Error(`There is no constant ${name} to make small.`)
  return source.replace(constant, `$1${size}`)
}

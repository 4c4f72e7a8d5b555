import {
  createExecutor,
  type FamilyNamespace,
  type FamilyObject,
} from '../../../adapters/durable-object/index.ts'
import { relayed } from '../../../ports/relayed.ts'
import type { Executor } from '../../../adapters/sqlite/index.ts'
import type { Clock } from '../../../ports/platform.ts'
import type { Migration } from '../../../adapters/sqlite/migration.ts'
import { namespaceOf, openScratchFamily, somePlace } from './scratch-family.ts'

/** A family's object in this process, for moves. */
export interface OwnDatabase {
  /** The executor for a request to which the directory has named the object, which refuses as the object does. */
  readonly serving: Executor
  /** The namespace that requests use. */
  readonly direct: FamilyNamespace
  /** The namespace that a move uses. */
  readonly namespace: FamilyNamespace
  /** Runs a statement behind the object's back. */
  change(sql: string): Promise<void>
  /** A copy of its present content, from which another one can start. */
  image(): Uint8Array
}

export interface OwnDatabaseOptions {
  readonly clock: Clock
  /** Its initial content. Default: nothing. */
  readonly image?: Uint8Array
  readonly migrations?: readonly Migration[]
  /** Wraps each call of a move. */
  readonly within: <Result>(call: () => Promise<Result>) => Promise<Result>
}

/** Opens an object. */
export function ownDatabase({ within, ...options }: OwnDatabaseOptions): OwnDatabase {
  const scratch = openScratchFamily(options)
  const object = (): FamilyObject => scratch.object()
  const calls = relayed<FamilyObject>((ask) => within(() => ask(object())))
  const direct = namespaceOf(object)
  return {
    serving: createExecutor({
      namespace: direct,
      place: somePlace,
      clock: options.clock,
      isConfirmed: true,
    }),
    direct,
    namespace: namespaceOf(() => calls),
    change: async (sql) => {
      scratch.database.sqlite().exec(sql)
    },
    image: () => scratch.database.sqlite().serialize(),
  }
}

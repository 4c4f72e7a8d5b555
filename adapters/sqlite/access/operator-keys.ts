import { sql } from 'kysely'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { OperatorKeys, StoredOperatorKey } from '../../../ports/operators/operator-keys.ts'
import { bind, slot, template } from '../statement/compiler.ts'
import type { Executor } from '../statement/executor.ts'
import { rowsOf } from '../statement/executor.ts'
import { operatorKeyFields } from '../../../domain/record/stored-fields.ts'
import { columnsOf, fieldList } from '../table/field-columns.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'
import { upkeepOf } from './key-upkeep.ts'

/** The columns of `operator_keys`, without the proof by which a key was made. */
export const operatorKeyColumns = columnsOf(operatorKeyFields)

const stored = sql`select ${fieldList(operatorKeyColumns)} from operator_keys`

const prove = template(sql<StoredOperatorKey>`${stored}
  where key_id = ${slot('keyId')} and hash in (${slot('currentHash')}, ${slot('previousHash')})
    and ${worksNow('operator_keys')}`)

const first = template(sql<StoredOperatorKey>`${stored} order by created_at, key_id limit +${slot('limit')}`)
const next = template(sql<StoredOperatorKey>`${stored}
  where (created_at, key_id) > (${slot('createdAt')}, ${slot('keyId')})
  order by created_at, key_id limit +${slot('limit')}`)

const upkeepOfKeys = upkeepOf(sql`operator_keys`)

/** The keys of operators. */
export function createOperatorKeys(executor: Executor, clock: Clock): OperatorKeys {
  return {
    async prove({ keyId, hashes: [currentHash, previousHash = null] }) {
      const values = { keyId, currentHash, previousHash, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(prove, values))
      return row ?? null
    },
    list: (after, limit) =>
      rowsOf(executor, after === null ? bind(first, { limit }) : bind(next, { ...after, limit })),
    ...upkeepOfKeys(() => executor),
  }
}

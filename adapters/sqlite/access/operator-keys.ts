import type { Clock } from '../../../ports/platform.ts'
import type { OperatorKeys } from '../../../ports/organizations.ts'
import { atMost, bind, db, slot, template } from '../statement/compiler.ts'
import { one, textsOf } from '../statement/words.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'
import { operatorKeyFields } from '../../../domain/record/stored-fields.ts'
import { aliasesOf } from '../table/field-columns.ts'
import { worksNow } from '../table/working-key.ts'
import { nowOf } from '../write/write-clock.ts'
import { upkeepOf } from './key-upkeep.ts'

/** The columns of `operator_keys` under the names of their fields, without the proof by which a key was made. */
const stored = db.selectFrom('operator_keys').select(aliasesOf(operatorKeyFields))

const prove = template(
  stored
    .where('key_id', '=', slot('keyId'))
    .where('hash', 'in', [slot('currentHash'), slot('previousHash')])
    .where(({ ref }) => worksNow((column) => ref(column))),
)

const works = template(
  db
    .selectFrom('operator_keys')
    .select(one)
    .where('key_id', '=', slot('keyId'))
    .where(({ ref }) => worksNow((column) => ref(column))),
)

const endedWithDescent = template(
  db
    .selectFrom('operator_keys')
    .select('key_id')
    .where('key_id', 'in', textsOf(slot('keyIds')))
    .where('descent_ended_at', 'is not', null)
    .orderBy('key_id'),
)

const oldestFirst = stored.orderBy('created_at').orderBy('key_id').limit(atMost('limit'))
const first = template(oldestFirst)
const next = template(
  oldestFirst.where(({ eb, refTuple, tuple }) =>
    eb(refTuple('created_at', 'key_id'), '>', tuple(slot<string>('createdAt'), slot<string>('keyId'))),
  ),
)

const upkeepOfKeys = upkeepOf('operator_keys')

/** The keys of operators. */
export function createOperatorKeys(executor: Executor, clock: Clock): OperatorKeys {
  return {
    async prove({ keyId, hashes: [currentHash, previousHash = null] }) {
      const values = { keyId, currentHash, previousHash, now: nowOf(clock) }
      const [row] = await rowsOf(executor, bind(prove, values))
      return row ?? null
    },
    async works(keyId) {
      return (await rowsOf(executor, bind(works, { keyId, now: nowOf(clock) }))).length > 0
    },
    async endedWithDescent(keyIds) {
      const statement = bind(endedWithDescent, { keyIds: JSON.stringify(keyIds) })
      return (await rowsOf(executor, statement)).map(({ key_id }) => key_id)
    },
    list: (after, limit) =>
      rowsOf(executor, after === null ? bind(first, { limit }) : bind(next, { ...after, limit })),
    ...upkeepOfKeys(() => executor),
  }
}

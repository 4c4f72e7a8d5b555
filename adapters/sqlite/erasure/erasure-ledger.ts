import { sql } from 'kysely'
import type { ErasureLedger, ErasureMark, RecordedErasure } from '../../../ports/erasure.ts'
import {
  atMost,
  bind,
  db,
  slot,
  template,
  excluded,
  jsonEach,
  one,
  textsOf,
  jsonChunks,
} from '../statement/compiler.ts'
import { rowsOf, type Executor } from '../statement/executor.ts'

const record = template(
  db
    .insertInto('erasures')
    .columns(['organization_id', 'kind', 'value', 'secret_version', 'erased_at', 'recorded_at'])
    .expression(
      db
        .selectFrom(jsonEach<string, 'm'>(slot('marks'), 'm'))
        .select([
          slot<string>('organizationId').as('organization_id'),
          sql<ErasureMark['kind']>`m.value ->> 0`.as('kind'),
          sql<string>`m.value ->> 1`.as('value'),
          sql<string>`m.value ->> 2`.as('secret_version'),
          slot<string>('erasedAt').as('erased_at'),
          slot<string>('recordedAt').as('recorded_at'),
        ])
        // Without a condition, SQLite takes what follows for a join.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'kind', 'value'])
        .doUpdateSet(excluded(['erased_at', 'recorded_at']))
        .where(sql<boolean>`excluded.erased_at > erasures.erased_at`),
    ),
)

const inOrder = db
  .selectFrom('erasures')
  .select(['organization_id as organizationId', 'kind', 'value', 'secret_version as secretVersion'])
  .select('erased_at as erasedAt')
  .where('organization_id', 'in', textsOf(slot('organizationIds')))
  .where('erased_at', '>', slot('instant'))
  .orderBy('organization_id')
  .orderBy('kind')
  .orderBy('value')
  .limit(atMost('limit'))
const first = template(inOrder)
const next = template(
  inOrder.where(({ eb, refTuple, tuple }) =>
    eb(
      refTuple('organization_id', 'kind', 'value'),
      '>',
      tuple(
        slot<string>('afterOrganization'),
        slot<ErasureMark['kind']>('afterKind'),
        slot<string>('afterValue'),
      ),
    ),
  ),
)

const forget = template(
  db
    .deleteFrom('erasures')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('organization_id', 'kind', 'value'),
        'in',
        db
          .selectFrom('erasures as e')
          .select(['e.organization_id', 'e.kind', 'e.value'])
          .where('e.recorded_at', '<', slot('before'))
          .orderBy('e.recorded_at')
          .limit(atMost('limit'))
          .$asTuple('organization_id', 'kind', 'value'),
      ),
    )
    .returning(one),
)

/** Who was erased, as the shared database records it. No I/O. */
export function createErasureLedger(executor: Executor): ErasureLedger {
  return {
    async record(organizationId, marks, erasedAt, recordedAt) {
      const rows = marks.map(({ kind, value, secretVersion }) => [kind, value, secretVersion])
      const values = { organizationId, erasedAt, recordedAt }
      const statements = jsonChunks(rows).map((chunk) => bind(record, { ...values, marks: chunk }))
      if (statements.length > 0) await executor.batch(statements)
    },
    async since(organizationIds, instant, after, limit) {
      const values = { organizationIds: JSON.stringify(organizationIds), instant, limit }
      if (after === null) return rowsOf(executor, bind(first, values))
      const { organizationId: afterOrganization, kind: afterKind, value: afterValue } = after
      const found: readonly RecordedErasure[] = await rowsOf(
        executor,
        bind(next, { ...values, afterOrganization, afterKind, afterValue }),
      )
      return found
    },
    async forget(before, limit) {
      return (await rowsOf(executor, bind(forget, { before, limit }))).length
    },
  }
}

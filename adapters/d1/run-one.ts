import type { D1Database, D1Result } from '@cloudflare/workers-types'
import { CompiledQuery } from 'kysely'
import { D1Dialect } from 'kysely-d1'
import type { ResultRow, Statement } from '../sqlite/statement/executor.ts'

/** Runs one statement on D1, in a transaction of its own, by Kysely's dialect for D1. */
export async function runOne(
  database: D1Database,
  { sql, parameters }: Statement,
): Promise<D1Result<ResultRow>> {
  let answer: D1Result<ResultRow> | undefined
  const noting = notingAnswers(database, (given) => {
    answer = given
  })
  const connection = await new D1Dialect({ database: noting }).createDriver().acquireConnection()
  await connection.executeQuery(CompiledQuery.raw(sql, [...parameters]))
  if (answer === undefined) throw new Error('D1 gave no answer')
  return answer
}

/** A database that hands each answer on: the dialect keeps the rows, and drops what the statement cost. */
function notingAnswers(database: D1Database, note: (answer: D1Result<ResultRow>) => void): D1Database {
  const prepare = (sql: string) => ({
    bind: (...parameters: readonly unknown[]) => ({
      async all() {
        const answer = await database
          .prepare(sql)
          .bind(...parameters)
          .all<ResultRow>()
        note(answer)
        return answer
      },
    }),
  })
  // The dialect calls no other method of D1.
  return { prepare } as unknown as D1Database
}

import {
  createQueryId,
  NOOP_QUERY_EXECUTOR,
  PostgresQueryCompiler,
  QueryCreator,
  SqliteQueryCompiler,
  type Expression,
  type OperationNodeSource,
  type QueryCompiler,
  type RootOperationNode,
  type SqlBool,
} from 'kysely'
import { slotName, templateCache, type Template } from '../../../sql/statement.ts'
import type { DialectName } from '../families/family.ts'
import type { Database } from '../tables/database.ts'

/** Kysely's query builder over the tables of every kind of source. It builds statements and runs nothing. */
export const db = new QueryCreator<Database>({ executor: NOOP_QUERY_EXECUTOR })

/** PostgreSQL's SQL with the parameters of ODBC, which have no numbers. */
export class OdbcPostgresCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '?'
  }
}

/**
 * SQLite's SQL with names in backticks. Where SQLite finds no column of a name in double quotes, it takes the name for a
 * text: the values of a missing column would be its name.
 */
export class OdbcSqliteCompiler extends SqliteQueryCompiler {
  protected override getLeftIdentifierWrapper(): string {
    return '`'
  }

  protected override getRightIdentifierWrapper(): string {
    return '`'
  }
}

/** A query with all of these conditions; none: the query itself. */
export function where<Query extends { where(condition: Expression<SqlBool>): Query }>(
  query: Query,
  conditions: readonly Expression<SqlBool>[],
): Query {
  return conditions.reduce((before, condition) => before.where(condition), query)
}

const templates = templateCache<Template>()

/**
 * A statement that is built and compiled once for each shape, whatever its values. A value in it throws: each is bound
 * later, through its slot.
 */
export function compiledOnce(
  { name, compiler }: { readonly name: DialectName; readonly compiler: QueryCompiler },
  shape: string,
  build: () => OperationNodeSource,
): Template {
  return templates(`${name} ${shape}`, () => {
    // A query builder declares the node of any expression; what is compiled here is a whole statement.
    const node = build().toOperationNode() as RootOperationNode
    const { sql, parameters } = compiler.compileQuery(node, createQueryId())
    return { sql, slots: parameters.map(slotName) }
  })
}

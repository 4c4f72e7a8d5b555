import {
  type Dialect,
  childrenStatement,
  oneStatement,
  pageStatement,
} from '../../../adapters/pos-odbc/gateway/statements.ts'
import { listsOf, MAPPINGS } from '../../../adapters/pos-odbc/gateway/mappings.ts'
import type { Statement } from '../../../adapters/sqlite/statement/executor.ts'
import {
  COLLECTIONS,
  orderMayBeNull,
  type CollectionName,
  type SourceKind,
} from '../../../adapters/pos-odbc/protocol.ts'
import type { CollectionEndpoint } from '../../../domain/record/endpoint.ts'

/** A statement that the gateway can run, with a description. */
export interface NamedStatement {
  readonly name: string
  readonly statement: Statement
}

const INSTANT = '2026-01-05T00:00:00.000Z'
const AFTER = { value: '2026-01-06T00:00:00.000Z', id: 'x5' }

/** Every statement of a kind of source: each collection by each choice of filters, from each kind of position. */
export function everyStatement(
  kind: SourceKind,
  dialect: Dialect,
  tenant: string,
): readonly NamedStatement[] {
  const scope = { source: MAPPINGS[kind], dialect, tenant }
  return (Object.keys(COLLECTIONS) as CollectionName[]).flatMap((name) => [
    { name: `${name}.one`, statement: oneStatement(scope, name, 'x1') },
    ...listsOf(scope.source.collections[name]).map(([list, child]) => ({
      name: `${name} ${list}`,
      statement: childrenStatement(scope, child, ['x1', 'x2', 'x3'], 100),
    })),
    ...choices(Object.keys(COLLECTIONS[name].filters)).flatMap((chosen) =>
      pagesOf(COLLECTIONS[name], chosen).map(({ branch, after }) => ({
        name: `${name}.page ${branch} ${after === null ? '' : 'after '}${chosen.join()}`,
        statement: pageStatement(scope, name, branch, { filters: valuesOf(name, chosen), after, limit: 101 }),
      })),
    ),
  ])
}

function pagesOf(collection: CollectionEndpoint, chosen: readonly string[]) {
  const valued = [null, AFTER].map((after) => ({ branch: 'valued' as const, after }))
  if (!orderMayBeNull(collection) || chosen.includes('completedBefore')) return valued
  const rest = [null, { value: null, id: 'x5' }].map((after) => ({ branch: 'without_value' as const, after }))
  return [...valued, ...rest]
}

function valuesOf(
  name: CollectionName,
  chosen: readonly string[],
): Readonly<Record<string, string | boolean>> {
  const { filters } = COLLECTIONS[name]
  const valueOf = (filter: string) => {
    if (filter === 'active') return true
    if (filter === 'status') return 'active'
    return filters[filter]?.operator === 'equals' ? 'c1' : INSTANT
  }
  return Object.fromEntries(chosen.map((filter) => [filter, valueOf(filter)]))
}

/** Every subset of the names. */
function choices(names: readonly string[]): readonly (readonly string[])[] {
  return names.reduce<readonly (readonly string[])[]>(
    (chosen, name) => [...chosen, ...chosen.map((before) => [...before, name])],
    [[]],
  )
}

import type { Access } from './description.ts'
import type { OperationRoute, RouteDeclaration } from './operation.ts'

// Apart from `operation.ts`, because every request needs routes, and few need what else an operation declares.

/** Declares the route of an operation, and who may call it. */
export function operationRoute<const Id extends string, const Allowed extends Access>(
  declaration: RouteDeclaration<Id, Allowed>,
): OperationRoute<Id, Allowed> {
  return { kind: 'operation', scope: null, requires: null, errorStyle: 'api', ...declaration }
}

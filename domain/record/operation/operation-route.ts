import type { Capability } from './capability.ts'
import type { Access, Scope } from './description.ts'

// Apart from `operation.ts`, because every request needs routes, and few need what else an operation declares.

/** The format of an endpoint's failures: `{ error }`, or that of the submission endpoint, for pages of any origin. */
export type ErrorStyle = 'api' | 'submission'

/**
 * The part of an operation that routing and admission need. The rest of its declaration can be loaded with its handler,
 * when a request needs it.
 */
export interface OperationRoute<Id extends string = string, Allowed extends Access = Access> {
  readonly kind: 'operation'
  readonly id: Id
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  readonly path: string
  /** Who may call the operation. Checked before the handler is called, which receives the admitted caller. */
  readonly access: Allowed
  /** The scope that a key must have. Null: the operation needs no key. */
  readonly scope: Scope | null
  /** The capability that an organization must have to use the operation; null: none. */
  readonly requires: Capability | null
  readonly errorStyle: ErrorStyle
}

/** An operation that needs the key of a tenant or of the platform must declare a scope. */
type ScopeDeclaration<Allowed extends Access> = Allowed extends 'tenant' | 'tenant_or_platform'
  ? { readonly scope: Scope }
  : { readonly scope?: never }

/** What the declaration of a route says. */
export type RouteDeclaration<Id extends string, Allowed extends Access> = Pick<
  OperationRoute<Id, Allowed>,
  'id' | 'method' | 'path' | 'access'
> & { readonly requires?: Capability; readonly errorStyle?: ErrorStyle } & ScopeDeclaration<Allowed>

/** Declares the route of an operation, and who may call it. */
export function operationRoute<const Id extends string, const Allowed extends Access>(
  declaration: RouteDeclaration<Id, Allowed>,
): OperationRoute<Id, Allowed> {
  return { kind: 'operation', scope: null, requires: null, errorStyle: 'api', ...declaration }
}

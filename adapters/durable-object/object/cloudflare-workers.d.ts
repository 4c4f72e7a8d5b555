/**
 * The part of the platform's own module that is used here. Its full types would make every global of it known
 * everywhere.
 */
declare module 'cloudflare:workers' {
  import type { DurableObjectState, ExecutionContext } from '@cloudflare/workers-types'

  /** The base class of an object whose methods are called over RPC. */
  export abstract class DurableObject {
    protected readonly ctx: DurableObjectState
    protected readonly env: Readonly<Record<string, unknown>>
    constructor(state: DurableObjectState, env: Readonly<Record<string, unknown>>)
  }

  /** The base class of an entry point of a Worker whose methods are called over RPC. */
  export abstract class WorkerEntrypoint {
    protected readonly ctx: ExecutionContext
    protected readonly env: Readonly<Record<string, unknown>>
  }
}

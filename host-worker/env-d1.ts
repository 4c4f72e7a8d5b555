import type { D1Database } from '@cloudflare/workers-types'

/** Whether a binding is a D1 database. */
export function isD1(binding: unknown): binding is D1Database {
  return typeof binding === 'object' && binding !== null && 'prepare' in binding && 'batch' in binding
}

import type { KeyScope } from '../../ports/organizations.ts'
import type { Scope } from '../record/operation/description.ts'
import { keyRefused, type Reply } from '../record/operation/reply.ts'

/** Whether a key with this scope may make a call that needs `needed`. */
export function covers(scope: KeyScope, needed: Scope): boolean {
  return scope === 'all' || scope === needed
}

const uses: Readonly<Record<Scope, string>> = { read: 'read data', send: 'send messages' }

/** The answer to a good key whose scope does not cover the call. */
export function outOfScope(needed: Scope): Reply {
  return keyRefused(`The scope of this key does not allow it to ${uses[needed]}.`)
}

import type { Terms } from './term.ts'

/** Terms that only the operator interface has. */
export const operators: Terms = {
  keyId: ['Identifier of the key, which the key itself contains.', '3kTzB0n9QmVx'],
  outboxId: ['Identifier of the entry.', '4f1c2a9e-7d55-4a1b-9c1f-2f6f0d1f3b77'],
}

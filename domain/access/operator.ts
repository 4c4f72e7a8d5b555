import type { OperatorRole } from '../../ports/operator-keys.ts'

/** Who sent a request of the operator interface. */
export interface Operator {
  /** Null: whoever holds the root secret, who needs no key to make the first one. */
  readonly keyId: string | null
  /** The person or program that the key was issued to. */
  readonly name: string
  readonly role: OperatorRole
}

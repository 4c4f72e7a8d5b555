import type { OperatorRole } from '../../ports/keys.ts'

/** The roles of operators, the one with the fewest rights first. */
export const operatorRoles = ['support', 'admin'] as const satisfies readonly OperatorRole[]

/** The sender of a request to the operator interface. */
export interface Operator {
  /** Null: the caller proved to hold the root secret, which needs no key, so that the first key can be made. */
  readonly keyId: string | null
  /** The person or program that the key was issued to. */
  readonly name: string
  readonly role: OperatorRole
  /** The instant at which the key ends; null: never. No key that it issues works longer. */
  readonly expiresAt: string | null
}

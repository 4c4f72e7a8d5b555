import type { Tone } from '../kit/badge.tsx'
import type { BodyOf, ItemOf } from '../service/operations.ts'

/** A key of an organization, without the key itself. */
export type Key = ItemOf<'keys.list'>

/** A new key, with the key itself. */
export type IssuedKey = Pick<BodyOf<'keys.issue'>, 'key'>

/** How the state of a key looks. */
export const keyTones: Readonly<Record<Key['state'], Tone>> = {
  active: 'good',
  expired: 'neutral',
  revoked: 'bad',
}

/** Whether requests with a key are accepted. */
export function isWorking({ state }: Key): boolean {
  return state === 'active'
}

/** Who issued a key, of an organization or of an operator. */
export function issuerText(issuedBy: string | null): string {
  return issuedBy ?? 'the root secret'
}

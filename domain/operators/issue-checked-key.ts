import type { Administration } from '../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../ports/platform.ts'
import { issueKey, type IssuedKey } from '../access/api-key.ts'
import type { Secrets } from '../access/secrets.ts'
import { toInstant } from '../text/instant.ts'
import type { KeySettings } from './key-settings.ts'

/** The ports that issuing and rotating keys needs. */
export interface KeyIssuing {
  readonly keys: Pick<Administration, 'addKey' | 'findKey' | 'rotateKey'>
  readonly secrets: Secrets
  readonly random: RandomSource
  readonly clock: Clock
  /** The operator key that issues; null: the holder of the root secret does. */
  readonly issuedBy: string | null
}

/** A setting that is refused, although it is well-formed. */
export interface RefusedSetting {
  readonly kind: 'refused'
  readonly setting: keyof KeySettings
  /** The rest of a sentence that begins with the setting's name. */
  readonly problem: string
}

/** Nothing was issued, because the operator key of the request has ended meanwhile. */
export interface IssuerEnded {
  readonly kind: 'issuer_ended'
  /** A sentence. */
  readonly problem: string
}

/** What is said when a key was not issued because its issuer has ended. */
export const ISSUER_ENDED = 'The key of this request was revoked or has expired meanwhile. No key was issued.'

/**
 * Checks the settings of a new key, makes it and stores it.
 * @param organizationId the owner, which must exist; null: the platform
 */
export async function issueCheckedKey(
  organizationId: string | null,
  settings: KeySettings,
  { keys, secrets, random, clock, issuedBy }: KeyIssuing,
): Promise<({ readonly kind: 'issued' } & IssuedKey) | RefusedSetting | IssuerEnded> {
  const refused = settingProblem(organizationId, settings, clock)
  if (refused !== null) return refused
  const issued = await issueKey({ organizationId, ...settings, issuedBy }, secrets, random, clock)
  const isAdded = await keys.addKey(issued.stored)
  return isAdded ? { kind: 'issued', ...issued } : { kind: 'issuer_ended', problem: ISSUER_ENDED }
}

/** The first setting that is refused although it is well-formed; null: there is none. */
function settingProblem(
  organizationId: string | null,
  { scope, expiresAt }: KeySettings,
  clock: Clock,
): RefusedSetting | null {
  const isPast = expiresAt !== undefined && isPastInstant(expiresAt, clock)
  if (isPast) return { kind: 'refused', setting: 'expiresAt', problem: IN_THE_PAST }
  return organizationId === null && scope === 'read'
    ? {
        kind: 'refused',
        setting: 'scope',
        problem: 'of a platform key must be send or all: it can only send',
      }
    : null
}

/** The problem of an expiry that is not in the future. */
export const IN_THE_PAST = 'must be in the future'

/** Whether an instant is now or in the past. */
export function isPastInstant(instant: string, clock: Clock): boolean {
  return instant <= toInstant(clock.nowMs())
}

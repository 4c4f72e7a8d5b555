import type { FormDirectory, SubmissionWriter } from '../../../ports/records.ts'
import type { KeyUpkeep, KeyedStorage } from '../../../ports/organizations.ts'
import type { SendLog } from '../../../ports/messaging.ts'
import type { Storage } from '../../../ports/storage.ts'
import { relayed } from '../../../ports/relayed.ts'
import {
  atClaim,
  atKey,
  atNamed,
  atPlace,
  SHARED,
  toPlace,
  type PlacedWork,
  type Places,
} from '../find/at-place.ts'
import { ElsewhereError } from '../find/errors.ts'
import { ALARM_MS } from '../../limits/waiting.ts'
import { toInstant } from '../../text/instant.ts'

// The ports of requests over all places together: each finds the right database by the organization, and needs no more
// of a place's storage than itself. Data that belongs to no organization (platform keys and their sends) is in the
// shared database. No I/O.

export function placedKeyed(places: Places<Pick<Storage, 'keyed'>>): KeyedStorage {
  const shared = places.storageAt(SHARED, true)
  return {
    open: (claim) => ({
      read: (queries, terms) =>
        claim.keyId === null
          ? atPlace(claim.organizationId, places, ({ keyed }) => keyed.open(claim).read(queries, terms))
          : atClaim(claim, places, ({ keyed }) => keyed.open(claim).read(queries, terms)),
    }),
    findPlatformKey: (keyId) => shared.keyed.findPlatformKey(keyId),
  }
}

/** The shared database knows which organization has a form, wherever that organization lives. */
export function placedForms(places: Places<Pick<Storage, 'forms'>>): FormDirectory {
  const shared = places.storageAt(SHARED, true)
  return {
    async find(formId) {
      try {
        return await shared.forms.find(formId)
      } catch (error) {
        if (!(error instanceof ElsewhereError) || error.found === null) throw error
        return atNamed(error.found, places, ({ forms }) => forms.find(formId))
      }
    },
    submissionsOf: (organizationId) => placedSubmissions(places, organizationId),
  }
}

/** Submissions of one organization's forms, wherever it lives. */
export function placedSubmissions(
  places: Places<Pick<Storage, 'forms'>>,
  organizationId: string,
): SubmissionWriter {
  const relay = toPlace(organizationId, places, ({ forms }) => forms.submissionsOf(organizationId))
  return relayed(relay, {
    saveSubmission: (submission) =>
      atPlace(organizationId, places, ({ forms }, place) => {
        // Noted before, because an answer that is lost does not tell whether the submission was saved. Where nothing else
        // follows, the sweep throws the hash of the address away: the alarm knows of the outbox alone.
        if (place.kind === 'own') noteWorkOf(place.familyId, places)
        return forms.submissionsOf(organizationId).saveSubmission(submission)
      }),
  })
}

/**
 * Updates rows of keys that were used, wherever they are. When the owner of a key is known, the key need not be looked
 * up.
 */
export function placedKeyUpkeep(places: Places<Pick<Storage, 'keyUpkeep'>>): KeyUpkeep {
  const ofOwner = (
    owner: string | null | undefined,
    keyId: string,
    work: PlacedWork<Pick<Storage, 'keyUpkeep'>, void>,
  ) => (owner == null ? atKey(keyId, places, work) : atPlace(owner, places, work))
  return {
    noteKeyUse: (keyId, hour, organizationId) =>
      ofOwner(organizationId, keyId, ({ keyUpkeep }) => keyUpkeep.noteKeyUse(keyId, hour)),
    rehashKey: (keyId, hash, secretVersion, organizationId) =>
      ofOwner(organizationId, keyId, ({ keyUpkeep }) => keyUpkeep.rehashKey(keyId, hash, secretVersion)),
  }
}

export function placedSends(places: Places<Pick<Storage, 'sends'>>): SendLog {
  const shared = places.storageAt(SHARED, true)
  return {
    open(organizationId) {
      if (organizationId === null) return shared.sends.open(null)
      const relay = toPlace(organizationId, places, ({ sends }) => sends.open(organizationId))
      return relayed(relay, {
        claim: (...claim) =>
          atPlace(organizationId, places, ({ sends }, place) => {
            // The sweep forgets the key when it is free again.
            if (place.kind === 'own') noteWorkOf(place.familyId, places)
            return sends.open(organizationId).claim(...claim)
          }),
        takeReturn: (...news) =>
          atPlace(organizationId, places, ({ sends }, place) => {
            if (place.kind === 'own') noteWorkOf(place.familyId, places)
            return sends.open(organizationId).takeReturn(...news)
          }),
      })
    },
  }
}

/** Returns a function that notes work of a family for the sweep, in case the alarm of the family's database is lost. */
export function noteWorkOf(
  familyId: string,
  { memory, clock, noteWork }: Pick<Places, 'memory' | 'clock' | 'noteWork'>,
): void {
  const nowMs = clock.nowMs()
  if (memory.isToBeNoted(familyId, nowMs)) noteWork(familyId, toInstant(nowMs + ALARM_MS))
}

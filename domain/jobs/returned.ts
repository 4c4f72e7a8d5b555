import type { Alert, ReturnedEmail, SendLog } from '../../ports/messaging.ts'
import type { Clock, Deadline, Log } from '../../ports/platform.ts'
import { UNKNOWN_AFTER_MS } from '../messaging/attempt.ts'
import { toInstant } from '../text/instant.ts'
import { alertAbout } from './alert.ts'
import { inTime } from './work.ts'

interface ReturnWorld {
  readonly sends: SendLog
  readonly clock: Clock
  readonly deadline: Deadline
  readonly log: Log
}

/**
 * Records that an email did not arrive, and alerts whoever answers for the organization if it was a notification or an
 * automatic email. What is not known, or known already, changes nothing. Never rejects.
 * @returns false: the news should come again, because how the email was handed over is still being recorded, or storage
 * fails
 */
export async function takeReturnedEmail(
  { recorded, providerId, error }: ReturnedEmail,
  world: ReturnWorld,
): Promise<boolean> {
  const { sends, clock, log } = world
  const nowMs = clock.nowMs()
  const now = toInstant(nowMs)
  if (recorded === null) {
    log.info('email_returned', { sendId: null, isRecorded: false, error })
    return true
  }
  const { organizationId, sendId } = recorded
  const news = { sendId, providerId, error }
  try {
    const taking = sends.open(organizationId).takeReturn(news, alertOf(sendId, error, now), now)
    const { isRecorded, pendingSince } = await inTime(taking, world)
    log.info('email_returned', { sendId, isRecorded, error })
    return pendingSince === null || nowMs - Date.parse(pendingSince) >= UNKNOWN_AFTER_MS
  } catch (cause) {
    log.error('email_returned_unrecorded', { sendId }, cause)
    return false
  }
}

/** The ids of the sends of entries and runs that follow a submission, whose id is in the middle; see `outboxOf`. */
const FOLLOWING = /^(obx|run)_(?:dig_)?(.+)_\d+(?:-\d+)?$/

/** The alert about an email that did not arrive; null: whoever asked for it finds that in the log of sends. */
function alertOf(sendId: string, reason: string, now: string): Alert | null {
  const [, word, submissionId] = FOLLOWING.exec(sendId) ?? []
  if (submissionId === undefined) return null
  const kind = word === 'obx' ? 'notification' : 'automation'
  return { ...alertAbout({ kind, about: 'that is gone', reason }, now), submissionId }
}

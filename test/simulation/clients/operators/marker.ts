import type { Answer } from '../../service/processes/network.ts'
import { bodyOf, type Client } from '../client.ts'

/** How many submissions are marked at once at most. */
const MARKED_MAX = 4
/** How long a call may still do something whose answer was lost, in ms. */
const LATE_MS = 3_600_000
/** The longest rest, in ms. */
const REST_MAX_MS = 20_000
const SAYS = [false, false, true] as const

interface Listed {
  readonly submissionId: string
  readonly spam: boolean
}

/** Somebody who reads what came to the forms of one organization, and says of it whether it is spam. */
export async function markSpam(organizationId: string, client: Client): Promise<void> {
  /** Until when a mark whose answer was lost may still be made, in ms. */
  let lateUntilMs = 0
  const mark = async (ids: readonly string[], spam: boolean): Promise<Answer | null> => {
    const path = `/operator/v1/organizations/${organizationId}/submissions/mark`
    const body = JSON.stringify({ ids, spam })
    const answer = await client.change(
      { action: 'submission.mark', organizationId },
      { method: 'POST', path, body },
    )
    if (answer === null || answer.status >= 500) lateUntilMs = client.nowMs() + LATE_MS
    else if (answer.status !== 204)
      client.violated('a submission can be marked', `${organizationId} ${ids.join()}: ${answer.text}`)
    return answer
  }
  while (!client.isOver()) {
    const ids = await chosen(organizationId, client)
    const spam = client.decide.pick('says', SAYS)
    if (ids.length > 0 && client.decide.chance('two disagree', 15)) {
      await Promise.all([mark(ids, spam), mark(ids, !spam)])
      client.happened('two people disagree about a submission')
    } else if (ids.length > 0) {
      const isAlone = client.nowMs() > lateUntilMs
      const answer = await mark(ids, spam)
      if (isAlone && answer?.status === 204) checkMarked(organizationId, ids, spam, client)
    }
    await client.pause(client.decide.delayMs('rests', REST_MAX_MS))
  }
}

/** Some submissions of a list; more often those that were taken for spam. */
async function chosen(organizationId: string, client: Client): Promise<readonly string[]> {
  const { decide } = client
  const query = decide.pick('looks at', ['&spam=true', '&spam=true', '&spam=true', ''])
  const listed = await client.send({
    method: 'GET',
    path: `/operator/v1/organizations/${organizationId}/submissions?limit=20${query}`,
    key: client.operatorKey,
  })
  if (listed?.status !== 200) return []
  const { data } = bodyOf(listed) as { readonly data: readonly Listed[] }
  if (query !== '' && data.some(({ spam }) => !spam))
    client.violated('a filter gives what it names', `${organizationId}: ${listed.text}`)
  const first = decide.below('from', Math.max(1, data.length))
  const count = 1 + decide.below('more of them', MARKED_MAX)
  return data.slice(first, first + count).map(({ submissionId }) => submissionId)
}

function checkMarked(organizationId: string, ids: readonly string[], spam: boolean, client: Client): void {
  for (const id of ids) {
    const row = client.stored.rowOf(organizationId, 'form_submissions', id)
    if (row?.spam !== Number(spam))
      client.violated('a submission is what somebody says of it', `${id}, ${spam}: ${JSON.stringify(row)}`)
  }
}

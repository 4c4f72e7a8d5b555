import type { Answer } from '../../service/processes/network.ts'
import { SPAM_TEXTS } from '../../setting.ts'
import { bodyOf, type Client } from '../client.ts'

/** How many submissions are marked at once at most. */
const MARKED_MAX = 6
/** How long a call may still do something whose answer was lost, in ms. */
const LATE_MS = 3_600_000
/** The longest rest, in ms. */
const REST_MAX_MS = 10_000

interface Listed {
  readonly submissionId: string
  readonly spam: boolean
  readonly answers: { readonly message?: unknown }
}

/** What somebody says of some submissions. */
interface Said {
  readonly ids: readonly string[]
  readonly spam: boolean
}

/** Somebody who reads what came to the forms of one organization, and says of it whether it is spam. */
export async function markSpam(organizationId: string, client: Client): Promise<void> {
  /** Until when a mark whose answer was lost may still be made, in ms. */
  let lateUntilMs = 0
  const mark = async ({ ids, spam }: Said): Promise<Answer | null> => {
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
  const isSensible = client.decide.chance('is sensible', 50)
  while (!client.isOver()) {
    const said = await chosen(organizationId, isSensible, client)
    if (said.ids.length > 0 && client.decide.chance('two disagree', isSensible ? 5 : 20)) {
      await Promise.all([mark(said), mark({ ...said, spam: !said.spam })])
      client.happened('two people disagree about a submission')
    } else if (said.ids.length > 0) {
      const times = client.decide.chance('changes their mind', 40) ? 3 : 1
      for (let time = 0; time < times; time += 1) {
        const now = { ...said, spam: said.spam === (time % 2 === 0) }
        const isAlone = client.nowMs() > lateUntilMs
        const answer = await mark(now)
        if (isAlone && answer?.status === 204) checkMarked(organizationId, now, client)
      }
    }
    await client.pause(client.decide.delayMs('rests', REST_MAX_MS))
  }
}

/** Some submissions of a list, with what is said of them; whoever is sensible looks at what they say. */
async function chosen(organizationId: string, isSensible: boolean, client: Client): Promise<Said> {
  const { decide } = client
  const query = isSensible ? '' : decide.pick('looks at', ['&spam=true', '&spam=true', ''])
  const nothing = { ids: [], spam: false }
  const listed = await client.send({
    method: 'GET',
    path: `/operator/v1/organizations/${organizationId}/submissions?limit=20${query}`,
    key: client.operatorKey,
  })
  if (listed?.status !== 200) return nothing
  const { data } = bodyOf(listed) as { readonly data: readonly Listed[] }
  if (query !== '' && data.some(({ spam }) => !spam))
    client.violated('a filter gives what it names', `${organizationId}: ${listed.text}`)
  const isOfSpam = ({ answers: { message } }: Listed) => SPAM_TEXTS.some((text) => text === message)
  const spam = isSensible ? decide.chance('looks for spam', 50) : decide.chance('says that it is spam', 33)
  const wanted = isSensible ? data.filter((one) => isOfSpam(one) === spam) : data
  const first = decide.below('from', Math.max(1, wanted.length))
  const count = 1 + decide.below('more of them', MARKED_MAX)
  return { ids: wanted.slice(first, first + count).map(({ submissionId }) => submissionId), spam }
}

function checkMarked(organizationId: string, { ids, spam }: Said, client: Client): void {
  for (const id of ids) {
    const row = client.stored.rowOf(organizationId, 'form_submissions', id)
    if (row?.spam !== Number(spam))
      client.violated('a submission is what somebody says of it', `${id}, ${spam}: ${JSON.stringify(row)}`)
  }
}

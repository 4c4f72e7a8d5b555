import type { Answer } from '../../service/processes/network.ts'
import { bodyOf, type Client } from '../client.ts'

/** A move, as an answer shows it. */
interface ShownMove {
  readonly moveId: string
  readonly to: 'shared' | 'own'
  readonly phase: string
  readonly failure: string | null
  readonly endedAt: string | null
}

/** The possible targets of moves. A move within one kind of place needs another region. */
const targets = {
  shared: { place: 'shared' },
  own: { place: 'own' },
  europe: { place: 'own', region: 'weur' },
  asia: { place: 'own', region: 'apac' },
} as const

const TARGETS = ['own', 'shared', 'europe', 'asia'] as const
const LOOK_MAX_MS = 3_000

/** An operator who repeatedly moves one family, watches the moves, and sometimes aborts one. */
export async function moveAround(familyId: string, client: Client): Promise<void> {
  while (!client.isOver()) {
    await client.rest()
    if (client.isOver()) return
    const target = client.decide.pick('moves to', TARGETS)
    const move = await begin(familyId, JSON.stringify(targets[target]), client)
    if (move !== null) await follow(move, familyId, client)
  }
}

async function begin(familyId: string, body: string, client: Client): Promise<ShownMove | null> {
  const path = `/operator/v1/organizations/${familyId}/move`
  const change = { action: 'organization.move', organizationId: familyId }
  const answer = await client.change(change, { method: 'POST', path, body })
  if (answer?.status === 200) return (bodyOf(answer) as { readonly move: ShownMove | null }).move
  // The service may have begun a move although no answer arrived.
  expectOneOf([409], answer, familyId, client)
  return null
}

/** Watches a move until it has ended. That is not necessary for the move, which the service completes by itself. */
async function follow({ moveId }: ShownMove, familyId: string, client: Client): Promise<void> {
  let isGivenUp = false
  while (!client.isOver()) {
    const answer = await client.send({
      method: 'GET',
      path: `/operator/v1/moves/${moveId}`,
      key: client.operatorKey,
    })
    if (answer?.status === 200) {
      const move = bodyOf(answer) as ShownMove
      if (move.endedAt !== null) {
        judge(move, familyId, isGivenUp, client)
        return
      }
    } else expectOneOf([], answer, moveId, client)
    if (client.decide.chance('gives the move up', 10))
      isGivenUp = (await abortMove(familyId, client)) || isGivenUp
    await client.pause(client.decide.delayMs('looks again', LOOK_MAX_MS))
  }
}

/** Asks to abort the move of a family, if there is one. */
export async function abortMove(familyId: string, client: Client): Promise<boolean> {
  const path = `/operator/v1/organizations/${familyId}/move/abort`
  const change = { action: 'organization.abortMove', organizationId: familyId }
  const answer = await client.change(change, { method: 'POST', path })
  // The move may have ended or switched by now.
  expectOneOf([200, 404, 409], answer, familyId, client)
  return answer?.status === 200
}

function expectOneOf(
  statuses: readonly number[],
  answer: Answer | null,
  what: string,
  { violated }: Client,
): void {
  if (answer !== null && answer.status < 500 && !statuses.includes(answer.status))
    violated('a family can be moved', `${what}: ${answer.status} ${answer.text}`)
}

function judge(move: ShownMove, familyId: string, isGivenUp: boolean, { stored, violated }: Client): void {
  const what = `${move.moveId} of ${familyId}: ${move.phase}`
  if (move.failure !== null) violated('the service gives no move up by itself', `${what}: ${move.failure}`)
  if (isGivenUp && move.phase !== 'aborted') violated('a move that was given up ends so', what)
  const isShared = stored.homeOf(familyId) === 'shared'
  if (move.phase === 'done' && isShared !== (move.to === 'shared'))
    violated('a family lives where it was moved', `${what}, in ${stored.homeOf(familyId)}`)
}

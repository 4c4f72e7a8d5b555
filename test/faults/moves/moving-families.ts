import { setTimeout as pause } from 'node:timers/promises'
import type { OperatorCall } from '../../../host-worker/operator/client/import-client.ts'
import type { KillableService } from '../../support/services/killable-service.ts'
import { postJson } from './fleet.ts'
import { readRemains, type Remains } from './remains.ts'
import type { Told } from '../told.ts'

/**
 * Asks to move each family to the other place. Settles even if nothing answers.
 * @param giveUpAfterMs the time after which the moves are given up; null: they are not
 */
export async function beginMoves(
  call: OperatorCall,
  families: readonly Told[],
  { sharedWritable }: Remains,
  giveUpAfterMs: number | null,
): Promise<void> {
  const asked = families.map(async ({ family: { organizationId } }) => {
    const path = `/operator/v1/organizations/${organizationId}/move`
    await postJson(call, path, { place: sharedWritable.has(organizationId) ? 'own' : 'shared' })
    if (giveUpAfterMs === null) return
    await pause(giveUpAfterMs)
    await postJson(call, `${path}/abort`, {})
  })
  await Promise.allSettled(asked)
}

/** A process that died during a move keeps its lease for a minute; then a sweep continues the move. */
const ENDED_WITHIN_MS = 240_000
const POLL_MS = 3_000

/** Fires the cron until no move is in progress. Returns a line about the moves; throws if some do not end. */
export async function movesEnd(service: KillableService, state: string): Promise<string> {
  const startedAt = performance.now()
  const running = () => readRemains(state, 0).moves.filter(({ isEnded }) => isEnded === 0)
  const atFirst = running().length
  while (running().length > 0) {
    if (performance.now() - startedAt > ENDED_WITHIN_MS)
      throw new Error(`Moves do not end: ${JSON.stringify(running())}`)
    await service.fireCron()
    await pause(POLL_MS)
  }
  return `${atFirst} moves were under way; all ended after ${Math.round((performance.now() - startedAt) / 1000)} s`
}

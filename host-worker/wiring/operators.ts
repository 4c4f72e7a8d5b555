import { operatorApi } from '../../domain/operator-api.ts'
import type { OutboxRef } from '../../ports/outbox.ts'
import type { Env } from '../env/index.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { backgroundOf, type Serve } from './opening.ts'
import { openOperatorWorld } from './operator-world.ts'

const handle = createFetchHandler(operatorApi)

/** Serves what operators call. */
export const serve: Serve = async (request, host, { env, lifetime, meter }) => {
  const background = backgroundOf(lifetime)
  const wake = (refs: readonly OutboxRef[]) => {
    background.run(workOff(env, refs))
  }
  return handle(request, { ...host, world: await openOperatorWorld(env, meter, background, wake) })
}

async function workOff(env: Env, refs: readonly OutboxRef[]): Promise<void> {
  const { openFollowUp } = await import('./jobs.ts')
  await openFollowUp(env).workOff(refs)
}

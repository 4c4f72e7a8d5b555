import { operatorApi } from '../../domain/operator-api.ts'
import { createFetchHandler } from '../http/fetch-handler.ts'
import { backgroundOf, type Serve } from './opening.ts'
import { openOperatorWorld } from './operator-world.ts'

const handle = createFetchHandler(operatorApi)

/** Serves what operators call. */
export const serve: Serve = async (request, host, { env, lifetime, meter }) =>
  handle(request, { ...host, world: await openOperatorWorld(env, meter, backgroundOf(lifetime)) })

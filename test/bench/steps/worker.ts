import type { Lifetime } from '../../../host-worker/wiring/opening.ts'
import { detailSteps } from './detail.ts'
import { envOf, type Bindings } from './step.ts'
import { submissionSteps } from './submission.ts'

/** A Worker that runs one step: the one with the number `STEP`, of the case that the request asks for. */
export default {
  async fetch(request: Request, bindings: Bindings, lifetime: Lifetime): Promise<Response> {
    const url = new URL(request.url)
    const steps = request.method === 'POST' ? submissionSteps : detailSteps
    const step = steps[Number(bindings.STEP)]
    if (step === undefined) throw new Error(`There is no step ${String(bindings.STEP)}`)
    return step.answer({ request, url, database: bindings.DB, env: envOf(bindings), lifetime })
  },
}

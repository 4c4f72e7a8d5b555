import type { Deployment, Step } from './deployment.ts'
import { DeployError } from './deploy-error.ts'

/** How a deployment ended, as an exit code. */
export const ENDED = { well: 0, failed: 1, interrupted: 130 } as const

/**
 * Takes the steps in order, and says of each what was there or what was done. The first one that fails ends the
 * deployment, which goes on there when it is run again: a step that was taken finds its work done. A dry run only says
 * what each step would do.
 */
export async function runDeployment(steps: readonly Step[], deployment: Deployment): Promise<number> {
  const { options, ports } = deployment
  const isInterrupted = () => ports.interrupted.aborted
  for (const step of steps) {
    if (isInterrupted()) return interrupted(step, deployment)
    try {
      const found = await step.isDone(deployment)
      if (found !== null) ports.note(line('there', step, found))
      else if (options.isDryRun) ports.note(line('would', step, await step.plan(deployment)))
      else ports.note(line('done', step, await step.run(deployment)))
    } catch (error) {
      if (isInterrupted()) return interrupted(step, deployment)
      return failed(step, error, deployment)
    }
  }
  return ENDED.well
}

function line(mark: string, { name }: Step, text: string): string {
  return `${mark.padEnd(5)}  ${name}: ${text}`
}

function interrupted(step: Step, { ports }: Deployment): number {
  ports.note(line('ended', step, 'interrupted. Run the same command again: it goes on here.'))
  return ENDED.interrupted
}

function failed(step: Step, error: unknown, { ports, kept }: Deployment): number {
  const reason = kept.hidden(error instanceof Error ? error.message : String(error))
  ports.note(line('fails', step, reason))
  if (error instanceof DeployError) ports.note(`       ${error.advice}`)
  ports.note('       Then run the same command again: it goes on here.')
  return ENDED.failed
}

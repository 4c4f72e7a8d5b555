import type { Clock } from '../../ports/platform/clock.ts'
import type { Reach } from '../operator/client/send-request.ts'

/** What a deployment needs of the machine and of Cloudflare. */
export interface Ports {
  /** Runs wrangler without a terminal. Nothing secret is among the arguments. */
  readonly wrangler: Wrangler
  /** Sends a request to Cloudflare's API, or to the deployed service. */
  readonly reach: Reach
  /** Whether the public name service knows this host. */
  readonly resolves: (host: string) => Promise<boolean>
  readonly newRootSecret: () => string
  /** Writes one line for the person at the terminal. */
  readonly note: (line: string) => void
  readonly pause: (durationMs: number) => Promise<void>
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the person interrupts the command. */
  readonly interrupted: AbortSignal
}

export type Wrangler = (args: readonly string[]) => Promise<WranglerRun>

export interface WranglerRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

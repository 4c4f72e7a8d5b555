import { parseArgs } from 'node:util'
import type { GenericSchema, InferOutput } from 'valibot'
import type { Clock } from '../../ports/platform.ts'
import type { WranglerFile } from '../local/wrangler-file.ts'
import type { Reach } from '../operator/client/send-request.ts'
import type { KeptSecrets } from './kept-secrets.ts'

/** What a deployment needs of the machine and of Cloudflare. */
export interface World {
  /** The text of `wrangler.toml`. */
  readonly configuration: () => string
  /** The name of the user of this machine. */
  readonly userName: () => string
  /**
   * Runs wrangler without a terminal, so that it asks nothing, and shows what it prints, or else reads that. Nothing
   * secret is among the arguments.
   */
  readonly wrangler: (
    args: readonly string[],
    use: 'show' | 'read',
  ) => Promise<{ readonly exitCode: number; readonly stdout: string }>
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

/** A deployment under way: what was asked for, and what its steps found out. */
export interface Deployment {
  readonly world: World
  readonly options: ReturnType<typeof readOptions>
  /** What `wrangler.toml` says of the environment. */
  readonly file: WranglerFile
  readonly kept: KeptSecrets
  /** Null: nobody is logged in. Only a dry run goes on without, as in an empty account. */
  account: Account | null
  /** The address of the service, once its step has found it. */
  url: string
  /** The names of the secrets that the service has. Nobody can read their values again. */
  served: readonly string[]
  /** What a person should know or do afterwards, besides what every deployment needs. */
  readonly remarks: string[]
}

/**
 * The Cloudflare account that a deployment is for: what the API answers to a path, null when there is no such thing.
 * wrangler makes every change. Throws a `Denied` when this login may not ask.
 */
export interface Account {
  readonly id: string
  /** @param path below the account, or, with a leading slash, below the API */
  get<Schema extends GenericSchema>(path: string, schema: Schema): Promise<InferOutput<Schema> | null>
}

/** The flags of the command. */
export const flags = {
  'dry-run': { type: 'boolean', default: false },
  env: { type: 'string' },
  operator: { type: 'string' },
  'free-plan': { type: 'boolean', default: false },
  'new-root-secret': { type: 'boolean', default: false },
  'take-host': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** What the person asked for. Throws for arguments that are not among the flags. */
export function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, strict: true }).values
}

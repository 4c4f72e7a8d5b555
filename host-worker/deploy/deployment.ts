import type { WranglerFile } from '../local/wrangler-file.ts'
import type { Account } from './account.ts'
import type { KeptSecrets } from './kept-secrets.ts'
import type { Ports } from './ports.ts'

/** What the person asked for. */
export interface Options {
  /** A named environment of `wrangler.toml`; null: the top level. */
  readonly environment: string | null
  readonly isDryRun: boolean
  /** In whose name the first operator key is issued. */
  readonly operator: string
  /** Whether to go on in an account without the paid plan. */
  readonly allowsFreePlan: boolean
  /** Whether to make a root secret for data that another one belongs to. */
  readonly allowsNewRootSecret: boolean
  /** Whether to take a host that has DNS records already. */
  readonly takesHost: boolean
}

/** A deployment under way: what was asked for, and what its steps found out. */
export interface Deployment {
  readonly options: Options
  readonly ports: Ports
  /** What `wrangler.toml` says of the environment. */
  readonly file: WranglerFile
  readonly kept: KeptSecrets
  /** Null: nobody is logged in. Only a dry run goes on without, as in an empty account. */
  account: Account | null
  /** The address of the service; null until its step has found it. */
  url: string | null
  /** What a person should know or do afterwards, besides what every deployment needs. */
  readonly remarks: string[]
}

/**
 * One step of a deployment. Every step may be taken again: it looks for what is there, and does what is missing.
 */
export interface Step {
  readonly name: string
  /** What is there already; null: there is something to do. Changes nothing. */
  isDone(deployment: Deployment): Promise<string | null>
  /** What `run` would do. Changes nothing. */
  plan(deployment: Deployment): Promise<string> | string
  /** Does it, and says what was done. */
  run(deployment: Deployment): Promise<string>
}

/** A step that only looks: it says what it found, or throws what is wrong. */
export function checking(name: string, look: (deployment: Deployment) => Promise<string>): Step {
  return { name, isDone: look, plan: () => 'check it', run: look }
}

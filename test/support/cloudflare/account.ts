import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

/** What an account of the stand-in holds. Tests read it, and put into it what should be there before. */
export interface CloudflareAccount {
  readonly id: string
  readonly name: string
  /** The account's part of the addresses under workers.dev; null: none is registered yet. */
  subdomain: string | null
  /** The ids of the plans that the account pays for; null: the token may not read them. */
  plans: readonly string[] | null
  readonly databases: Map<string, Database>
  /** By name. */
  readonly queues: Map<string, Queue>
  /** Null: R2 is not switched on, which asks for a means of payment. */
  buckets: Set<string> | null
  readonly scripts: Map<string, Script>
  /** The domains that Cloudflare serves. */
  readonly zones: Set<string>
  /** The hosts with DNS records; null: the token may not read them. */
  hosts: Set<string> | null
}

export interface Database {
  readonly uuid: string
  readonly name: string
  readonly sqlite: DatabaseSync
}

export interface Queue {
  readonly queue_id: string
  readonly queue_name: string
  readonly consumers: { readonly consumer_id: string; readonly type: string; readonly script: string }[]
}

/** A binding, as an upload describes it. */
export type Binding = Readonly<{
  type: string
  name: string
  text?: string
  id?: string
  class_name?: string
}>

/** What an upload says of a version, and the contents of its modules, by path. */
export interface Version {
  readonly id: string
  readonly metadata: {
    readonly main_module: string
    readonly compatibility_date: string
    readonly bindings: readonly Binding[]
  }
  readonly modules: ReadonlyMap<string, string>
}

export interface Script {
  readonly name: string
  readonly versions: Version[]
  /** The versions that were served, the present one first. */
  readonly history: Version[]
  readonly secrets: Map<string, string>
  schedules: readonly { readonly cron: string }[]
  readonly domains: readonly string[]
}

/** An account in which nothing is yet, but which could hold the service. */
export function emptyAccount(): CloudflareAccount {
  return {
    id: 'a'.repeat(32),
    name: 'Acme',
    subdomain: 'acme',
    plans: ['workers_paid'],
    databases: new Map(),
    queues: new Map(),
    buckets: new Set(),
    scripts: new Map(),
    zones: new Set(['acme.org']),
    hosts: null,
  }
}

/** Adds a database to the account. */
export function addDatabase({ databases }: CloudflareAccount, name: string): Database {
  const database = { uuid: randomUUID(), name, sqlite: new DatabaseSync(':memory:') }
  databases.set(name, database)
  return database
}

/** Adds a version to a Worker, and serves it. Secrets and inherited bindings stay those of the Worker. */
export function upload(
  account: CloudflareAccount,
  name: string,
  metadata: Version['metadata'],
  modules: Version['modules'] = new Map(),
): Version {
  const script = account.scripts.get(name) ?? newScript(name)
  account.scripts.set(name, script)
  const served = script.history[0]?.metadata.bindings ?? []
  const bindings = metadata.bindings.flatMap((each) => {
    if (each.type === 'secret_text') script.secrets.set(each.name, each.text ?? '')
    if (each.type !== 'inherit') return each.type === 'secret_text' ? [] : [each]
    return served.filter((old) => old.name === each.name)
  })
  const version = { id: randomUUID(), metadata: { ...metadata, bindings }, modules }
  script.versions.unshift(version)
  script.history.unshift(version)
  return version
}

/** A Worker that is no version yet. */
export function newScript(name: string, domains: readonly string[] = []): Script {
  return { name, versions: [], history: [], secrets: new Map(), schedules: [], domains }
}

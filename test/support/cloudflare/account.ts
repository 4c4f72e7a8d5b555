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
  readonly queues: Map<string, Queue>
  readonly buckets: Set<string>
  /** Whether R2 was switched on, which asks for a means of payment. */
  hasR2: boolean
  readonly scripts: Map<string, Script>
  /** The zones of the account: domains that Cloudflare serves. */
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

export interface Version {
  readonly id: string
  readonly number: number
  readonly bindings: readonly Binding[]
  readonly compatibilityDate: string
  readonly mainModule: string
  /** The contents of the modules, by path. */
  readonly modules: ReadonlyMap<string, string>
}

export interface Script {
  readonly name: string
  readonly versions: Version[]
  /** The versions that were served, the present one first. */
  readonly history: Version[]
  readonly secrets: Map<string, string>
  schedules: readonly { readonly cron: string }[]
  hasSubdomain: boolean
  domains: readonly string[]
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
    hasR2: true,
    scripts: new Map(),
    zones: new Set(['acme.org']),
    hosts: null,
  }
}

export function newDatabase(name: string): Database {
  return { uuid: randomUUID(), name, sqlite: new DatabaseSync(':memory:') }
}

export function newQueue(name: string): Queue {
  return { queue_id: randomUUID().replaceAll('-', ''), queue_name: name, consumers: [] }
}

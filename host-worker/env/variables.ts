import type { D1Database, DurableObjectNamespace } from '@cloudflare/workers-types'
import * as v from 'valibot'
import { isPrivate } from '../../domain/text/http.ts'

/**
 * The values that the platform passes to the Worker: variables and secrets as text, and bindings to its own services.
 */
export type Bindings = Readonly<Record<string, unknown>>

/** Collects a sentence for each problem. Sentences name variables, never their values. */
export type Problems = string[]

/** Reads the variables of a schema; null when there is a problem with them. */
export function read<Schema extends v.GenericSchema>(
  schema: Schema,
  bindings: Bindings,
  problems: Problems,
): v.InferOutput<Schema> | null {
  const reading = v.safeParse(schema, bindings)
  if (reading.success) return reading.output
  for (const { path, message } of reading.issues) {
    problems.push(path === undefined ? message : `${String(path[0].key)} ${message}`)
  }
  return null
}

/** A variable; empty text when it is not set. */
export const text = v.optional(v.string('must be text'), '')

/** A variable that must be set, because other variables of its group are. */
export function required(group: string) {
  return v.pipe(text, v.nonEmpty(`is missing: other ${group} variables are set`))
}

/** A check of an optional variable. */
export function whenSet(
  isGood: (given: string) => boolean,
  message: string | ((issue: v.CheckIssue<string>) => string),
) {
  return v.check((given: string) => given === '' || isGood(given), message)
}

/**
 * The root URL of a provider's API. The variable is only set to replace the usual URL by a stand-in or a regional host.
 */
export function apiRoot(usual: string) {
  return v.pipe(
    text,
    whenSet((given) => isPrivate(URL.parse(given)), 'must be an https URL'),
    v.transform((given) => (given === '' ? usual : given.replace(/\/+$/, ''))),
  )
}

/** Whether credentials may be sent to this address, and it has no path, query or account of its own. */
export function isRoot(given: string): boolean {
  const url = URL.parse(given)
  return isPrivate(url) && url.href === `${url.origin}/`
}

/** A binding to one of the platform's services, recognised by its methods; null when there is none. */
export function binding<Binding>(methods: readonly string[], message: string) {
  const none = v.pipe(
    v.literal(''),
    v.transform(() => null),
  )
  return v.optional(v.union([none, v.custom<Binding>((given) => hasMethods(given, methods))], message), '')
}

/** A binding to a D1 database; null when there is none. */
export function database(message: string) {
  return binding<D1Database>(['prepare', 'batch'], message)
}

/** A binding to the class of Durable Objects that hold families; null when there is none. */
export function objects(message: string) {
  return binding<DurableObjectNamespace>(['idFromName', 'get'], message)
}

function hasMethods(given: unknown, methods: readonly string[]): boolean {
  if (typeof given !== 'object' || given === null) return false
  return methods.every((method) => typeof Reflect.get(given, method) === 'function')
}

/**
 * Variables that are used together or not at all: when none of those named is set, only `always` is checked and the
 * result is null.
 */
export function group<Schema extends v.GenericSchema>(
  names: readonly string[],
  always: v.ObjectEntries,
  present: Schema,
) {
  const absent = v.pipe(
    v.object(always),
    v.transform(() => null),
  )
  return v.lazy((given) => (isAnySet(given as Bindings, names) ? present : absent))
}

/** Whether any of the variables is set. */
export function isAnySet(bindings: Bindings, names: readonly string[]): boolean {
  return names.some((name) => (bindings[name] ?? '') !== '')
}

import * as v from 'valibot'
import { rootSecretProblem } from '../../domain/access/secrets.ts'
import { backupEntries, backupsOf } from './backups.ts'
import { readPos, type PosSettings } from './pos.ts'
import { readProviders, type ProviderSettings } from './providers.ts'
import { database, objects, read, text, whenSet, type Bindings } from './variables.ts'

const rootSecret = whenSet(
  (given) => rootSecretProblem(given) === null,
  ({ input }) => String(rootSecretProblem(input)),
)

const NO_DATABASE = 'is missing: it must be a D1 database binding'

const Own = v.pipe(
  v.object({
    ROOT_SECRET: v.pipe(text, v.nonEmpty('is missing: it must be 32 random bytes in base64url'), rootSecret),
    ROOT_SECRET_PREVIOUS: v.pipe(text, rootSecret),
    DB: v.optional(v.nonNullable(database(NO_DATABASE), NO_DATABASE), ''),
    FAMILIES: objects('must be a Durable Object binding'),
    ...backupEntries,
  }),
  v.transform((given) => ({
    database: given.DB,
    /**
     * The objects in which families have databases of their own; null: there are none, so all families are in
     * `database`.
     */
    families: given.FAMILIES,
    /** Null: the service stores no backups. */
    backups: backupsOf(given),
    rootSecret: given.ROOT_SECRET,
    /** The previous root secret, during a rotation; null: there is none. */
    previousRootSecret: given.ROOT_SECRET_PREVIOUS === '' ? null : given.ROOT_SECRET_PREVIOUS,
  })),
)

/** The checked configuration of the deployment. */
export interface Env extends Readonly<v.InferOutput<typeof Own>>, ProviderSettings, PosSettings {}

export type EnvReading =
  { readonly ok: true; readonly env: Env } | { readonly ok: false; readonly problems: readonly string[] }

/** Checks bindings and variables before anything is served. Each problem names the variable, never its value. */
export function readEnv(bindings: Bindings): EnvReading {
  const problems: string[] = []
  const own = read(Own, bindings, problems)
  const providers = readProviders(bindings, problems)
  const pos = readPos(bindings, problems)
  if (own === null || problems.length > 0) return { ok: false, problems }
  return { ok: true, env: { ...own, ...providers, ...pos } }
}

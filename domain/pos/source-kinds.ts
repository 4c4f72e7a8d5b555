import type { PosKind } from '../../ports/organizations.ts'
import type { PosCapabilities } from '../../ports/sources.ts'
import { keysOf } from '../text/encoding.ts'

/** What is known of a kind of source without asking one. */
export interface PosSourceFacts {
  /** The capabilities of such a source. They are known even when a source is not configured or does not answer. */
  readonly capabilities: PosCapabilities
  /** How it identifies an organization: by a text that the source defines, or by the name of a data source. */
  readonly tenantIs: 'text' | 'source'
}

/** The kinds of sources, in the order in which messages list them. */
export const posSourceKinds: Readonly<Record<PosKind, PosSourceFacts>> = {
  legacy_vendor: { capabilities: { customerTransactionsNeedStart: false }, tenantIs: 'text' },
  odbc_shared: { capabilities: { customerTransactionsNeedStart: true }, tenantIs: 'text' },
  odbc_second: { capabilities: { customerTransactionsNeedStart: true }, tenantIs: 'source' },
}

const SOURCE_NAME_MAX_LENGTH = 64
/** The form of a data source's name, which is also a file name. */
export const SOURCE_NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${SOURCE_NAME_MAX_LENGTH - 1}}$`)
/** The same in words. */
export const SOURCE_NAME_FORM = `up to ${SOURCE_NAME_MAX_LENGTH} letters, digits, - and _, the first a letter or a digit`

/** The names of the kinds. */
export const posKinds = keysOf(posSourceKinds)

/** Whether a text is the name of a kind of source. */
export function isPosKind(name: string): name is PosKind {
  return Object.hasOwn(posSourceKinds, name)
}

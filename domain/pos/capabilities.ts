import type { PosKind } from '../../ports/organization.ts'
import type { PosCapabilities } from '../../ports/pos-source.ts'
import { keysOf } from '../text/keys-of.ts'

/** What each kind of source can do, also while it is not configured or does not answer. */
export const posCapabilities: Readonly<Record<PosKind, PosCapabilities>> = {
  legacy_vendor: { customerTransactionsNeedStart: false },
  odbc_shared: { customerTransactionsNeedStart: true },
  odbc_second: { customerTransactionsNeedStart: true },
}

/**
 * How each kind of source identifies an organization: by a text that the source defines, or by the name of a data
 * source.
 */
export const tenantIs: Readonly<Record<PosKind, 'text' | 'source'>> = {
  legacy_vendor: 'text',
  odbc_shared: 'text',
  odbc_second: 'source',
}

/** The form of a data source's name, which is also a file name. */
export const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The kinds of sources, in the order in which messages list them. */
export const posKinds = keysOf(posCapabilities)

/** Whether a kind of source has this name. */
export function isPosKind(name: string): name is PosKind {
  return Object.hasOwn(posCapabilities, name)
}

import type { PosSourceTie } from '../../ports/organization.ts'
import type { PosCapabilities } from '../../ports/pos-source.ts'

/** What each kind of source can do, also while it is not configured or does not answer. */
export const posCapabilities: Readonly<Record<PosSourceTie['kind'], PosCapabilities>> = {
  legacy_vendor: { customerTransactionsNeedStart: false },
  odbc_shared: { customerTransactionsNeedStart: true },
  odbc_second: { customerTransactionsNeedStart: true },
}

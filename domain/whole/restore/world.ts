import type { Administration } from '../../../ports/organizations/administration.ts'
import type { Clock } from '../../../ports/platform/clock.ts'
import type { OperatorKeys } from '../../../ports/operators/operator-keys.ts'
import type { RandomSource } from '../../../ports/platform/random-source.ts'
import type { Restoration, WholeStore } from '../../../ports/whole/whole-store.ts'
import type { Secrets } from '../../access/secrets.ts'
import type { ErasureLedger } from '../../../ports/whole/erasure-ledger.ts'
import type { RestorePlaces } from '../../placement/operators/restore-places.ts'

/** The ports by which an organization is restored. */
export interface RestoreWorld {
  readonly whole: (organizationId: string) => WholeStore
  readonly restorePlaces: RestorePlaces
  readonly administration: Pick<Administration, 'findOrganization'>
  readonly operatorKeys: Pick<OperatorKeys, 'endedWithDescent'>
  readonly secrets: Secrets
  readonly erasures: ErasureLedger
  readonly clock: Clock
  readonly random: RandomSource
}

/** The restoration after a step, or a sentence that refuses the step. */
export type RestoreAnswer = { readonly restoration: Restoration } | { readonly refusal: string }

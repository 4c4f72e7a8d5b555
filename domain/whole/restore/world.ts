import type { Administration, OperatorKeys } from '../../../ports/organizations.ts'
import type { Clock, RandomSource } from '../../../ports/platform.ts'
import type { Restoration, WholeStore } from '../../../ports/archives.ts'
import type { Secrets } from '../../access/secrets.ts'
import type { ErasureLedger } from '../../../ports/erasure.ts'
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

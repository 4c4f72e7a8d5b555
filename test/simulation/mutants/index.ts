import type { Mutant } from '../service/universe.ts'
import { detailMutants } from './details.ts'
import { followingMutants } from './following.ts'
import { messagingMutants } from './messaging.ts'
import { movingMutants } from './moving.ts'
import { outboxMutants } from './outbox.ts'
import { rareMutants } from './rare.ts'
import { readingMutants } from './reading.ts'
import { removingMutants } from './removing.ts'
import { submissionMutants } from './submission.ts'

/**
 * Plausible mistakes, each planted from outside by wrapping a port or replacing a statement. If no seed finds one of
 * them, the simulation would not find a similar mistake in the product either.
 */
export const mutants: readonly Mutant[] = [
  ...submissionMutants,
  ...outboxMutants,
  ...readingMutants,
  ...messagingMutants,
  ...movingMutants,
  ...detailMutants,
  ...removingMutants,
  ...followingMutants,
]

/** The mutant with a name; undefined: there is none. */
export function mutantNamed(wanted: string | undefined): Mutant | undefined {
  return [...mutants, ...rareMutants].find(({ name }) => name === wanted)
}

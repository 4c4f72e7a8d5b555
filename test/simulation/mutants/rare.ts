import type { MoveLedger } from '../../../ports/placement/move-ledger.ts'
import type { Mutant } from '../service/universe.ts'

/** A ledger whose ended moves count as tidied up, although nobody has done it. */
function untidy(ledger: MoveLedger): MoveLedger {
  return {
    ...ledger,
    async idle(...given) {
      const found = await ledger.idle(...given)
      for (const move of found)
        if (move.endedAt !== null) await ledger.turn(move, { phase: move.phase, notBefore: null })
      return found.filter(({ endedAt }) => endedAt === null)
    },
  }
}

/** Mistakes that fewer than one seed in a hundred finds. Their recorded runs in `regressions/` find them. */
export const rareMutants: readonly Mutant[] = [
  { name: 'what late calls of a move have left stays', ledger: untidy },
  {
    name: 'an isolate calls the place that it remembers, however long that has not answered',
    storage(storage, { places: { memory } }) {
      Object.assign(memory, { placeToCall: (organizationId: string) => memory.get(organizationId) })
      return storage
    },
  },
]

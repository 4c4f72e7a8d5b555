import type { Moves } from '../../domain/placement/moves.ts'

/** Moves of a storage that has but one place. */
export const noMoves: Moves = {
  begin: async () => ({ kind: 'no_places' }),
  watch: async () => null,
  running: async () => null,
  abort: async () => false,
}

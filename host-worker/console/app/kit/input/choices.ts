/** A choice of a control. */
export interface Choice {
  readonly value: string
  readonly label: string
}

/** The choices, with the one that is stored although it is none of them. */
export function withGiven(given: string, choices: readonly Choice[]): readonly Choice[] {
  const isThere = choices.some(({ value }) => value === given)
  return isThere ? choices : [...choices, { value: given, label: given === '' ? 'nothing' : given }]
}

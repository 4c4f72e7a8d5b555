import { useLocation, useSearch } from 'wouter-preact'
import { searchText } from '../service/search-text.ts'

/** What is chosen on the page of the analytics, as the address has it. */
export interface Choices {
  /** Days, both included; empty: no bound. */
  readonly start: string
  readonly end: string
  /** What tells cohorts apart, and which members are listed. */
  readonly dimension: Dimension
  readonly status: Status
}

export const DIMENSIONS = ['none', 'plan', 'site'] as const
export const STATUSES = ['all', 'active', 'churned'] as const
export type Dimension = (typeof DIMENSIONS)[number]
export type Status = (typeof STATUSES)[number]

/** The choices in the query of the address. What it does not have, or nothing that one can choose, is the default. */
export function choicesIn(search: string): Choices {
  const given = new URLSearchParams(search)
  const chosen = <Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]): Choice =>
    choices.find((choice) => choice === given.get(name)) ?? choices[0]
  return {
    ...{ start: given.get('start') ?? '', end: given.get('end') ?? '' },
    ...{ dimension: chosen('dimension', DIMENSIONS), status: chosen('status', STATUSES) },
  }
}

/** The query of an address for choices, without the defaults. */
export function searchOf({ start, end, dimension, status }: Choices): string {
  return searchText({
    ...{ start, end },
    ...{ dimension: dimension === 'none' ? '' : dimension, status: status === 'all' ? '' : status },
  })
}

/** The choices of the address, and how to make others. */
export function useChoices(): readonly [Choices, (next: Partial<Choices>) => void] {
  const choices = choicesIn(useSearch())
  const [location, navigate] = useLocation()
  return [
    choices,
    (next) => {
      navigate(location + searchOf({ ...choices, ...next }))
    },
  ]
}

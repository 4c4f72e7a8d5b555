import { searchText } from '../service/search-text.ts'
import type { Parameter } from './contract.ts'

/** What is chosen of each filter; what is not chosen is left out. */
export type Chosen = Readonly<Record<string, string>>

/** What the query of an address chooses of some filters. */
export function chosenIn(search: string, filters: readonly Parameter[]): Chosen {
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    filters.flatMap(({ name }) => {
      const value = given.get(name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** The query of an address for what is chosen. */
export function searchOf(chosen: Chosen): string {
  return searchText(Object.fromEntries(Object.entries(chosen).filter(([, value]) => value.trim() !== '')))
}

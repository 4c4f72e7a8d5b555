/** The query of an address, with what of these says anything: `?form=contact`. Empty when nothing does. */
export function searchText(values: Readonly<Record<string, string | number | null | undefined>>): string {
  const named = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return named.length === 0 ? '' : `?${new URLSearchParams(named).toString()}`
}

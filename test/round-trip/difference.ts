/** An answer, or an import, that differs from what a naive writer makes of the rows. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

const SHOWN_AROUND = 150

/** Throws a `Difference` that shows where two texts begin to differ. */
export function compare(path: string, expected: string, found: string): void {
  if (expected === found) return
  let at = 0
  while (expected[at] === found[at]) at += 1
  const part = (text: string) => text.slice(Math.max(0, at - SHOWN_AROUND), at + SHOWN_AROUND)
  throw new Difference(
    `${path} differs at character ${at}\n  expected …${part(expected)}…\n  found    …${part(found)}…`,
  )
}

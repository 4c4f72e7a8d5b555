import type { Mutant } from '../service/universe.ts'

/** Replaces a piece of text in statements that contain it. Any white space counts as one space. */
export function replacing(piece: string, replacement: string, within = ''): (sql: string) => string {
  return (sql) => {
    const line = sql.replaceAll(/\s+/g, ' ')
    return line.includes(piece) && line.includes(within) ? line.replaceAll(piece, replacement) : sql
  }
}

/** Mistakes by their names. */
export function mutantsOf(mistakes: Readonly<Record<string, Omit<Mutant, 'name'>>>): readonly Mutant[] {
  return Object.entries(mistakes).map(([name, mistake]) => ({ name, ...mistake }))
}

import { outcomeOf, outcomeText } from '../../../../domain/imports/file/transfer.ts'
import type { ItemOf } from '../service/operations.ts'

/** An import as the operator interface shows it. */
export type Import = ItemOf<'imports.list'>

/** An import with what came of it, as a sentence. */
export interface ToldImport extends Import {
  readonly text: string
}

/**
 * Tells a list of imports, the newest first. To leave out rows with problems, a file is checked, those rows are taken out,
 * and what is left is checked again until nothing is wrong with it; these checks are told with their import, and not by
 * themselves.
 */
export function toldImports(items: readonly Import[]): readonly ToldImport[] {
  const told: ToldImport[] = []
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at]
    if (item === undefined) continue
    const checks = item.allProblems ? [] : checksOf(item, items.slice(at + 1))
    const skipped = checks.reduce((sum, check) => sum + wrongRowsOf(check), 0)
    told.push({ ...item, text: textOf(item, skipped) })
    at += checks.length
  }
  return told
}

/** The checks by which rows of an import were left out: that of the rows that are left, and those before it. */
function checksOf(item: Import, older: readonly Import[]): readonly Import[] {
  const isLike = (one: Import): boolean =>
    one.allProblems && one.kind === item.kind && JSON.stringify(one.mapping) === JSON.stringify(item.mapping)
  const [last, ...before] = older
  if (last === undefined || !isLike(last) || last.state !== 'checked' || last.totalBytes !== item.totalBytes)
    return []
  const checks = [last]
  for (const one of before) {
    const takenOut = one.readRows - (checks.at(-1)?.readRows ?? 0)
    // An earlier file may have been checked that could not be imported at all.
    if (!isLike(one) || one.state !== 'refused' || takenOut < wrongRowsOf(one)) break
    checks.push(one)
  }
  return checks
}

function wrongRowsOf({ problems }: Import): number {
  return new Set(problems.map(({ line }) => line)).size
}

function textOf(item: Import, skipped: number): string {
  const { state, readRows, writtenRows } = item
  if (state === 'receiving') return `${readRows} rows were read so far`
  if (state === 'writing')
    return `${writtenRows} of ${readRows} rows are ${item.dryRun ? 'compared' : 'written'}`
  const outcome = outcomeOf(item)
  if (outcome.kind === 'stopped') return outcome.message
  if (outcome.kind !== 'invalid') return outcomeText(outcome, skipped)
  const problems = outcome.problems.length
  return `Nothing was imported: ${problems === 1 ? 'a problem' : `${problems} problems`} in ${readRows === 1 ? '1 row' : `${readRows} rows`}`
}

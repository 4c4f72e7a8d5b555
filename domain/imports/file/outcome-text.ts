import type { ImportOutcome } from './transfer-file.ts'

/** An import, or a dry run, that came to its end. */
export type ReadOutcome = Extract<ImportOutcome, { readonly read: number }>

/** What an import came to, as the rest of a sentence. */
export function outcomeText({ kind, read, skipped, changed, unchanged }: ReadOutcome): string {
  const empty = skipped === 0 ? '' : `, ${skipped} empty ${skipped === 1 ? 'row' : 'rows'} skipped`
  return kind === 'checked'
    ? `${read} read${empty}. Nothing is wrong. Nothing was imported: this was a dry run`
    : `${read} read, ${changed} changed, ${unchanged} unchanged${empty}`
}

/** Said after problems when the check ended with them. */
export function endOfCheck(problems: number, most: number): string {
  return problems < most ? '' : `The check ended after ${most} problems; there may be more.`
}

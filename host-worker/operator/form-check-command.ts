import { readFormLine } from '../../domain/forms/check.ts'
import { formWarnings, headlessSupport } from '../../domain/forms/support.ts'
import { readCsv } from '../../domain/imports/csv.ts'
import type { Entry } from '../../domain/imports/entry.ts'
import { formKind } from '../../domain/imports/form-kind.ts'
import type { ImportKind } from '../../domain/imports/kind.ts'
import { linesOf } from '../../domain/imports/lines.ts'
import { readNdjson } from '../../domain/imports/ndjson.ts'
import { withoutOwner } from '../../domain/imports/to-rows.ts'
import { systemClock } from '../system.ts'
import type { Command } from './command.ts'
import { CommandError } from './errors.ts'
import { formPasswords } from './form-passwords.ts'
import { openImportFile } from './import-file.ts'

export const formCheck: Command = {
  words: ['form', 'check'],
  synopsis: 'FILE [--format ndjson|csv]',
  summary: 'Say for each form whether it can be submitted here and, if not, why',
  details: [
    'Reads the file of an import of forms; touches no database. The exit code is 1 only when a line is no form at all:',
    'a form that must be hosted is a valid form.',
  ],
  options: { format: { type: 'string' } },
  positionals: ['FILE'],
  run: async (context, values, [path = '']) => {
    const { source, format } = openImportFile(path, values)
    const kind = formKind(
      formPasswords(() => context.secrets()),
      systemClock,
    )
    const lines = linesOf(source.open())
    let unreadable = 0
    for await (const entry of format === 'csv' ? readCsv(lines, kind) : readNdjson(lines)) {
      const { verdict, notes } = judge(entry, kind)
      if (verdict === null) unreadable += 1
      if (verdict !== null) context.out(verdict)
      for (const note of notes) {
        if (verdict === null) context.note(note)
        else context.out(note)
      }
    }
    if (unreadable > 0)
      throw new CommandError(`${unreadable} ${unreadable === 1 ? 'line is' : 'lines are'} no form.`)
  },
}

/** The verdict on a form and the sentences under it; a null verdict: the line is no form, and the notes say why. */
interface Judgement {
  readonly verdict: string | null
  readonly notes: readonly string[]
}

function judge(entry: Entry, kind: ImportKind): Judgement {
  const reading =
    'issue' in entry ? { issues: [entry.issue] } : readFormLine(withoutOwner(entry.record, kind))
  if (!('form' in reading)) {
    return {
      verdict: null,
      notes: reading.issues.map(({ field, message }) => `line ${entry.line}: ${field} ${message}`),
    }
  }
  const { definition } = reading.form
  const { supported, reasons } = headlessSupport(definition)
  const warnings = formWarnings(definition).map((warning) => `  warning: ${warning}`)
  return {
    verdict: `${definition.formId}: ${supported ? 'can be submitted here' : 'must be hosted'}`,
    notes: [...reasons.map((reason) => `  ${reason}`), ...warnings],
  }
}

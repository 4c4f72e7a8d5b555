import type { ImportProblem } from '../../domain/imports/entry.ts'
import { importKind, importKindNames, isPosKind } from '../../domain/imports/kinds.ts'
import { problemsMax, runImport } from '../../domain/imports/run-import.ts'
import { systemClock } from '../system.ts'
import type { Command } from './command.ts'
import { requiredOption } from './command.ts'
import { organizationOf } from './context.ts'
import { CommandError, UsageError } from './errors.ts'
import { formPasswords } from './form-passwords.ts'
import { openImportFile } from './import-file.ts'
import { openPosWriter } from './pos-writer.ts'
import { createProgress } from './progress.ts'

export const importCommand: Command = {
  words: ['import'],
  synopsis: 'KIND FILE --org ID [--format ndjson|csv]',
  summary: "Import an organization's rows from NDJSON or CSV",
  details: [
    'The whole file is checked before anything is written; a bad line is named with its field and why. Rows are',
    'inserted or updated by id, so importing twice changes nothing; an id may stand in a file only once.',
    'CSV: the first row names the fields, an empty cell is an absent field, lists and objects are JSON.',
    `KIND is one of ${importKindNames.join(', ')}.`,
    "The pos- kinds go into the organization's point of sale: the legacy vendor's database, or an embedded one of the",
    'ODBC gateway, as POS_GATEWAY_CONFIG (a file of its configuration) says. A real data source takes no imports.',
  ],
  options: { org: { type: 'string' }, format: { type: 'string' } },
  positionals: ['KIND', 'FILE'],
  run: async (context, values, [name = '', path = '']) => {
    const secrets = () => context.secrets()
    const kind = importKind(name, { passwords: formPasswords(secrets), clock: systemClock, secrets })
    if (kind === null) throw new UsageError(`KIND must be one of ${importKindNames.join(', ')}`)
    const organizationId = requiredOption(values, 'org')
    const file = openImportFile(path, values)
    const organization = await organizationOf(context, organizationId)
    const storage = (await context.storage()).tenant(organizationId)
    const pos = isPosKind(name) ? await openPosWriter(context, organization) : null
    const progress = createProgress(process.stderr, () => systemClock.nowMs())
    const outcome = await runImport({
      ...file,
      kind,
      organization,
      writer: pos === null ? storage : { ...storage, upsert: pos.writer.upsert.bind(pos.writer) },
      onProgress: (pass, rows) => {
        progress.update(`${pass} ${name}`, rows)
      },
    }).finally(() => {
      progress.end()
      pos?.close()
    })
    if (outcome.kind === 'invalid') throw new CommandError(describeProblems(path, outcome.problems))
    if (outcome.kind === 'file_changed') throw new CommandError(describeChange(path, outcome.written))
    context.out(`${name}: ${outcome.read} read, ${outcome.changed} changed, ${outcome.unchanged} unchanged`)
  },
}

function describeProblems(path: string, problems: readonly ImportProblem[]): string {
  const lines = problems.map(({ line, field, message }) => `${path}:${line}: ${field} ${message}`)
  const end =
    problems.length < problemsMax ? '' : ` The check ended after ${problemsMax} problems; there may be more.`
  return [...lines, `Nothing was imported.${end}`].join('\n')
}

function describeChange(path: string, written: number): string {
  const rest =
    written === 0
      ? 'Nothing was imported.'
      : `The first ${written} rows, which had not changed, were imported.`
  return `${path} changed while it was imported. ${rest} Import it again when it no longer changes.`
}

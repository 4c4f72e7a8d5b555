import { showOrganization } from '../../../domain/operators/endpoints/organizations.ts'
import { importFormats } from '../../../domain/imports/formats.ts'
import { importKindNames } from '../../../domain/imports/kinds.ts'
import { FILE_PROBLEMS_MAX } from '../../../domain/imports/limits.ts'
import type { Transfer } from '../../../domain/imports/transfer-file.ts'
import type { ImportProblem } from '../../../ports/records/import-sessions.ts'
import { systemClock } from '../../system.ts'
import { CommandError } from '../client/errors.ts'
import { importOperations } from '../client/import-client.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'
import { importInto } from './import-into.ts'
import { openImportFile } from './import-file.ts'
import { createProgress } from './progress.ts'

const importCommand: Command = {
  words: ['import'],
  positionals: ['KIND', 'FILE'],
  choices: { KIND: importKindNames },
  flags: { org: text('ID', 'required'), format: text(importFormats.join('|')) },
  summary: "Import an organization's rows from NDJSON or CSV",
  details: [
    'The whole file is checked before anything is written; a bad line is named with its field and why. Rows are',
    'inserted or updated by id, so importing twice changes nothing; an id may stand in a file only once. An import that',
    'was interrupted goes on where it stopped when the same command is run again.',
    'CSV: the first row names the fields, an empty cell is an absent field, lists and objects are JSON.',
    `KIND is one of ${importKindNames.join(', ')}.`,
    "The pos- kinds go into the organization's point of sale: the legacy vendor's database, or an embedded one of the",
    'ODBC gateway, as POS_GATEWAY_CONFIG (a file of its configuration) says. A real data source takes no imports.',
  ],
  examples: ['contacts contacts.csv --org lakeside', 'sites sites.ndjson --org lakeside'],
  operations: [showOrganization, ...importOperations],
  run: async (context, { values, positionals: [kind = '', path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const file = openImportFile(path, values)
    const progress = createProgress(process.stderr, () => systemClock.nowMs())
    const onProgress: Transfer['onProgress'] = (pass, rows) => {
      progress.update(`${pass} ${kind}`, rows)
    }
    const service = await context.service()
    const transfer = { ...file, kind, onProgress }
    const outcome = await importInto(organizationId, transfer, service).finally(() => {
      progress.end()
    })
    if (outcome.kind === 'invalid') throw new CommandError(describeProblems(path, outcome.problems))
    if (outcome.kind === 'stopped') throw new CommandError(`${path}: ${outcome.message}`)
    for (const warning of outcome.warnings) context.note(`warning: ${warning}`)
    context.out(`${kind}: ${outcome.read} read, ${outcome.changed} changed, ${outcome.unchanged} unchanged`)
  },
}

function describeProblems(path: string, problems: readonly ImportProblem[]): string {
  const lines = problems.map(({ line, field, message }) => `${path}:${line}: ${field} ${message}`)
  const end =
    problems.length < FILE_PROBLEMS_MAX
      ? ''
      : ` The check ended after ${FILE_PROBLEMS_MAX} problems; there may be more.`
  return [...lines, `Nothing was imported.${end}`].join('\n')
}

export const commands = [importCommand]

import { importKindNames, isPosKind } from '../../domain/imports/kinds.ts'
import { problemsMax } from '../../domain/imports/limits.ts'
import { runImport } from '../../domain/imports/run-import.ts'
import type { ImportWorld } from '../../domain/imports/world.ts'
import type { ImportProblem } from '../../ports/import-sessions.ts'
import type { Organization } from '../../ports/organization.ts'
import { systemClock } from '../system.ts'
import { importTools, openImportWorld } from '../wiring/imports.ts'
import type { Command } from './command.ts'
import { requiredOption } from './command.ts'
import type { Context } from './context.ts'
import { organizationOf } from './context.ts'
import { CommandError, UsageError } from './errors.ts'
import { openImportFile } from './import-file.ts'
import type { OpenPosWriter } from './pos-writer.ts'
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
    if (!importKindNames.includes(name))
      throw new UsageError(`KIND must be one of ${importKindNames.join(', ')}`)
    const organizationId = requiredOption(values, 'org')
    const file = openImportFile(path, values)
    const organization = await organizationOf(context, organizationId)
    const pos = isPosKind(name) ? await openPosWriter(context, organization) : null
    const world = await worldOf(context, organization, pos)
    const progress = createProgress(process.stderr, () => systemClock.nowMs())
    const onProgress = (pass: string, rows: number) => {
      progress.update(`${pass} ${name}`, rows)
    }
    const outcome = await runImport({ ...file, kind: name, onProgress }, world).finally(() => {
      progress.end()
      pos?.close()
    })
    if (outcome.kind === 'invalid') throw new CommandError(describeProblems(path, outcome.problems))
    if (outcome.kind === 'stopped') throw new CommandError(`${path}: ${outcome.message}`)
    context.out(`${name}: ${outcome.read} read, ${outcome.changed} changed, ${outcome.unchanged} unchanged`)
  },
}

async function worldOf(
  context: Context,
  organization: Organization,
  pos: OpenPosWriter | null,
): Promise<ImportWorld> {
  const tools = importTools(() => context.secrets())
  return openImportWorld(await context.storage(), organization, tools, () =>
    pos === null ? { refusal: 'The organization has no point of sale.' } : { writer: pos.writer },
  )
}

function describeProblems(path: string, problems: readonly ImportProblem[]): string {
  const lines = problems.map(({ line, field, message }) => `${path}:${line}: ${field} ${message}`)
  const end =
    problems.length < problemsMax ? '' : ` The check ended after ${problemsMax} problems; there may be more.`
  return [...lines, `Nothing was imported.${end}`].join('\n')
}

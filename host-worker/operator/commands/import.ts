import { showOrganization } from '../../../domain/operators/organizations.ts'
import {
  importFormats,
  FILE_PROBLEMS_MAX,
  endOfCheck,
  isOfSetting,
  outcomeText,
  type ImportOutcome,
  type Transfer,
} from '../../../domain/imports/file/transfer.ts'
import { closeSync, openSync, rmSync, statSync, writeFileSync, readFileSync } from 'node:fs'
import {
  importRight,
  importWhole,
  type FileImport,
  type PlacedProblem,
} from '../../../domain/imports/file/skip-problems.ts'
import { encodings, readableFile, type FileEncoding } from '../../../domain/imports/file/lines.ts'
import { isSourceKind } from '../../../adapters/pos-odbc/index.ts'
import { importKindNames, isKeptAtPos, kindOf } from '../../../domain/imports/kinds.ts'
import { templateCsv, templateOf } from '../../../domain/imports/template.ts'
import type { StorageType } from '../../../domain/record/field.ts'
import { shownJson } from '../../../domain/text/terminal.ts'
import { CommandError, UsageError, type OperatorService } from '../client/call-service.ts'
import { importOperations, importThroughService } from '../client/import-client.ts'
import {
  textOf,
  textsOf,
  type Command,
  type Streams,
  givenPath,
  importFile,
  withProgress,
} from '../command.ts'
import { many, mark, text, type FlagValues } from '../../../domain/record/command.ts'
import { echoed } from '../../../domain/limits/limits.ts'
import { toolsWithoutSecrets } from '../../http/world.ts'
import { deleteRows, REMOVED_ROWS_MAX } from '../../../domain/operators/removals.ts'

/** Where rows with problems are written; null: nothing is skipped, or a dry run only counts them. */
function problemsFileOf(
  { path, format, problemsPath }: { path: string; format: string; problemsPath: string | undefined },
  values: FlagValues,
): string | null {
  const skips = values['skip-problems'] === true
  if (skips && format !== 'csv') throw new UsageError('--skip-problems takes CSV files')
  if (!skips || values['dry-run'] === true) {
    if (problemsPath === undefined) return null
    throw new UsageError(`${JSON.stringify(problemsPath)} is one argument too many`)
  }
  const file = givenPath(problemsPath ?? path.replace(/(?:\.\w+)?$/, '.problems.csv'))
  if (file === givenPath(path)) throw new UsageError('The file of problems is the file itself')
  return file
}

/** Makes the file of problems. Throws a `CommandError` when it cannot be written, or has something in it. */
function openProblems(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new CommandError(`${file} cannot be written${why}. Nothing was imported.`, { cause: error })
  }
  if (statSync(file).size > 0)
    throw new CommandError(`${file} is there already. Import what is in it first, or name another file.`)
}

/** Imports the rows of a CSV file that are right, and writes the others to a file, which is removed when there are none. */
async function importKeeping(
  problemsFile: string,
  importing: (keep: (wrong: string) => void) => Promise<FileImport>,
): Promise<FileImport> {
  openProblems(problemsFile)
  let isKept = false
  try {
    const imported = await importing((wrong) => {
      writeFileSync(problemsFile, wrong)
    })
    // When nothing was imported, all rows are still in the file, and the same command writes this one again.
    isKept = imported.skipped > 0 && imported.outcome.kind === 'imported'
    return imported
  } finally {
    if (!isKept) rmSync(problemsFile, { force: true })
  }
}

/** Imports a file into an organization: through the service, or into the database of its gateway. */
export async function importInto(
  organizationId: string,
  transfer: Omit<Transfer, 'target'>,
  service: OperatorService,
): Promise<ImportOutcome> {
  if (isKeptAtPos(transfer.kind)) {
    const organization = await service.call(showOrganization, { params: { organizationId } })
    if ('unanswered' in organization)
      throw new CommandError(`The database of the family of ${organizationId} does not answer.`)
    const { kind, tenant } = organization.posSource ?? { kind: '', tenant: '' }
    if (isSourceKind(kind)) {
      // Loaded on demand, because only imports into a gateway open a database of their own.
      const { importIntoGateway } = await import('./import-into-gateway.ts')
      const tied = { ...organization, posSource: { kind, tenant } }
      return importIntoGateway(tied, transfer, service.stateDirectory)
    }
  }
  return importThroughService({
    ...transfer,
    organizationId,
    url: service.url,
    call: (method, path, init) => service.send(method, path, init),
  })
}

function writeTemplate(kind: string, { out, note }: Streams): void {
  const columns = templateOf(kind)
  for (const row of templateCsv(columns).trimEnd().split('\r\n')) out(row)
  note('Replace the second row, which is an example. The columns:')
  for (const { name, type, whenLeftOut, meaning } of columns) {
    const need = whenLeftOut === null ? 'required' : `may be left out: ${whenLeftOut}`
    note(`  ${name} (${typeNames[type]}; ${need})${meaning === null ? '' : ` ${meaning}`}`)
  }
}

const typeNames: Readonly<Record<StorageType, string>> = {
  text: 'text',
  integer: 'whole number',
  real: 'number',
  boolean: 'true or false',
  json: 'JSON',
}

function encodingOf(given: string | undefined): FileEncoding | null {
  const encoding = encodings.find((known) => known === given)
  if (given !== undefined && encoding === undefined)
    throw new UsageError(`--encoding must be ${encodings.join(', ')}`)
  return encoding ?? null
}

/** The mapping of columns in `COLUMN=FIELD`. A column may have a `=` in its name, a field has none. */
function mappingOf(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.map((text) => {
    const at = text.lastIndexOf('=')
    if (at < 1) throw new UsageError(`--map must be COLUMN=FIELD, not ${JSON.stringify(text)}`)
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const
  })
  const [twice] = pairs.find(([column], index) => pairs.findIndex(([one]) => one === column) < index) ?? []
  if (twice !== undefined) throw new UsageError(`--map names the column ${JSON.stringify(twice)} twice`)
  return Object.fromEntries(pairs)
}

/** The first problems, a line each. Values of the file are shown to the person at a terminal, and stand in no log. */
function listedProblems(path: string, problems: readonly PlacedProblem[], { terminal }: Streams): string {
  const lines = problems.slice(0, FILE_PROBLEMS_MAX).map(({ line, head, value, message }) => {
    const shown = terminal === null || value === null ? '' : ` ${shownJson(echoed(value))}`
    return `${path}:${line}: ${head}${shown} ${message}`
  })
  return lines.join('\n')
}

const importCommand: Command = {
  words: ['import'],
  positionals: ['KIND', '[FILE]', '[PROBLEMS]'],
  choices: { KIND: importKindNames },
  flags: {
    org: text('ID'),
    format: text(importFormats.join('|')),
    map: many('COLUMN=FIELD'),
    attributes: mark(),
    encoding: text(encodings.join('|')),
    'skip-problems': mark(),
    'dry-run': mark(),
    template: mark(),
  },
  summary: "Import an organization's rows from NDJSON or CSV",
  details: [
    'The whole file is checked before anything is written; a bad line is named with its field and why. Rows are',
    'inserted or updated by id, so importing twice changes nothing; an id may stand in a file only once, but in CSV files',
    'of contacts. An import that was interrupted goes on where it stopped when the same command is run again.',
    'CSV, as spreadsheet programs write it: cells are separated by commas, semicolons or tabs. The first row names the',
    'fields, whatever the case, spaces, _ and -; --map "First Name=firstName" names the field of another column, and',
    '--map "Notes=" leaves one out. An empty cell is an absent field, a row of empty cells is skipped, lists and objects',
    'are JSON. Of contacts, --map "Birthday=attributes.birthday" keeps a column that is no field as an attribute, and',
    '--attributes keeps all of them. Contacts need no ids: a row without one is of whoever has its email, else its phone,',
    'else it is a new one; rows of one file that are of the same contact are merged, and an empty cell clears nothing.',
    'Their consents may be written as yes or no, x, ja, non and the like.',
    'A file that is not UTF-8 is read as UTF-16 by its mark, else as Windows-1252; --encoding decides. --template prints a file to begin with on standard output, and what each column means on standard error.',
    '--skip-problems imports the rows of a CSV file that are right, and writes the others to the file PROBLEMS, which is',
    'NAME.problems.csv when it is not given: under the heads of the file, with a last column that says what is wrong, so',
    'that they can be mended and imported. Without it, one wrong row and nothing is imported.',
    '--dry-run checks everything as an import does, with the same exit code, and writes nothing. It says how many rows an',
    'import would make, change and leave as they are, and with --skip-problems what is wrong with those that it would skip.',
    `KIND is one of ${importKindNames.join(', ')}.`,
    "The pos- kinds go into the organization's point of sale: the legacy vendor's database, or an embedded one of the",
    'ODBC gateway, as POS_GATEWAY_CONFIG (a file of its configuration) says. A real data source takes no imports.',
  ],
  examples: [
    'contacts --template > contacts.csv',
    'contacts contacts.csv --org lakeside --dry-run',
    'contacts contacts.csv --org lakeside --map "Birthday=attributes.birthday" --map "Notes="',
    'contacts contacts.csv --org lakeside --skip-problems',
  ],
  operations: [showOrganization, ...importOperations],
  run: async (context, { values, positionals: [kind = '', path, problemsPath] }) => {
    if (values.template === true) {
      writeTemplate(kind, context)
      return
    }
    const organizationId = textOf(values, 'org')
    if (path === undefined) throw new UsageError('FILE is missing')
    if (organizationId === undefined) throw new UsageError('--org is missing')
    const { source, format } = importFile(path, values)
    const problemsFile = problemsFileOf({ path, format, problemsPath }, values)
    const readable = await readableFile(source, encodingOf(textOf(values, 'encoding')))
    if ('problem' in readable) throw new CommandError(`${path} ${readable.problem}.`)
    if (readable.note !== null) context.note(`${path} ${readable.note}. --encoding decides otherwise.`)
    const file = { source: readable.source, format }
    const mapping = mappingOf(textsOf(values, 'map'))
    const isDryRun = values['dry-run'] === true
    const service = await context.service()
    const takesAttributes = values.attributes === true
    const transfer = { ...file, kind, mapping, takesAttributes, isDryRun }
    const rules = { columns: kindOf(kind, toolsWithoutSecrets()), mapping, takesAttributes }
    const { outcome, skipped, problems } = await withProgress((update) => {
      const onProgress: Transfer['onProgress'] = (pass, rows) => {
        update(`${pass} ${kind}`, rows)
      }
      const importing = (more: Partial<Transfer>) =>
        importInto(organizationId, { ...transfer, onProgress, ...more }, service)
      if (values['skip-problems'] !== true)
        return importWhole(file.source, format === 'csv' ? rules : null, importing)
      const right = (keep?: (wrong: string) => void) => importRight(file.source, rules, importing, keep)
      return problemsFile === null ? right() : importKeeping(problemsFile, right)
    })
    const listed = listedProblems(path, problems, context)
    const setting = problems.some(isOfSetting)
      ? `\nPhone numbers of another country? org create --id ${organizationId} --phone-country COUNTRY sets it.`
      : ''
    if (outcome.kind === 'invalid') {
      const end = endOfCheck(problems.length, FILE_PROBLEMS_MAX)
      throw new CommandError(`${listed}\nNothing was imported.${end === '' ? '' : ` ${end}`}${setting}`)
    }
    if (outcome.kind === 'stopped') throw new CommandError(`${path}: ${outcome.message}`)
    for (const warning of outcome.warnings) context.note(`warning: ${warning}`)
    if (isDryRun && skipped > 0) {
      const more = problems.length - FILE_PROBLEMS_MAX
      context.note(`${listed}${more > 0 ? `\nThere are ${more} problems more.` : ''}${setting}`)
    }
    context.out(`${kind}: ${outcomeText(outcome, skipped)}`)
    if (skipped > 0 && problemsFile !== null)
      context.note(`What was skipped is in ${problemsFile}, each row with what is wrong. Mend and import it.`)
  },
}

const deleteCommand: Command = {
  words: ['rows', 'delete'],
  positionals: ['KIND', '[FILE]'],
  choices: { KIND: importKindNames.filter((kind) => !isKeptAtPos(kind)) },
  flags: { org: text('ID', 'required'), id: text('ROWID') },
  summary: 'Delete rows that were imported by mistake, all or none',
  details: [
    'KIND is one of the kinds of imports that are stored in the service. FILE has one id a line; --id names one row.',
    'A row of list-members is named by the id of its list, a tab and the id of its contact. A row to which others refer',
    'is not deleted. With a submission goes its mark, and what was still to be sent because of it.',
    `At most ${REMOVED_ROWS_MAX} rows at once. Whoever keeps a copy learns of it from /api/v1/removals.`,
  ],
  examples: [
    'contacts --org lakeside --id c-1',
    'form-submissions --org lakeside --id sub_2Zk8QwVt7LhXn4RmPq9sBc',
    'contacts ids.txt --org lakeside',
  ],
  operations: [deleteRows],
  run: async (context, { values, positionals: [kind = '', path] }) => {
    const ids = idsIn(textOf(values, 'id'), path)
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { rows } = await service.call(deleteRows, { params: { organizationId, kind }, body: { ids } })
    context.note(`Deleted ${rows} ${rows === 1 ? 'row' : 'rows'} of ${kind}.`)
  },
}

/** The ids that are given: one, or those in the lines of a file. */
function idsIn(one: string | undefined, path: string | undefined): string[] {
  if (one !== undefined && path !== undefined) throw new UsageError('FILE and --id exclude each other')
  if (one !== undefined) return [one]
  if (path === undefined) throw new UsageError('FILE or --id is missing')
  const ids = linesOf(path).filter((line) => line !== '')
  if (ids.length === 0) throw new CommandError(`${path} contains no ids.`)
  if (ids.length > REMOVED_ROWS_MAX)
    throw new CommandError(
      `${path} has ${ids.length} ids. At most ${REMOVED_ROWS_MAX} rows are deleted at once: divide the file.`,
    )
  return ids
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(givenPath(path), 'utf8').split(/\r?\n/)
  } catch (cause) {
    throw new CommandError(`The file ${path} cannot be read.`, { cause })
  }
}

export const commands = [importCommand, deleteCommand]

import {
  saveOrganizationForms,
  toldOfForm,
} from '../../../domain/operators/endpoints/forms/organization-forms.ts'
import { checkForms, FORMS_MAX } from '../../../domain/operators/endpoints/forms/forms-check.ts'
import { unreadable } from '../../../domain/imports/file/lines.ts'
import { importFormats } from '../../../domain/imports/file/transfer.ts'
import { kindOf } from '../../../domain/imports/kinds.ts'
import { entriesOf } from '../../../domain/imports/read-part.ts'
import type { ImportIssue } from '../../../domain/record/resource.ts'
import { isJsonObject } from '../../../domain/text/json.ts'
import { importTools } from '../../http/imports.ts'
import { CommandError } from '../client/errors.ts'
import type { AnswerTo, OperatorService } from '../client/service/operator-service.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text, type FlagValues } from '../../../domain/record/command.ts'
import type { Streams } from '../command/context.ts'
import { formsInFile } from './form-file.ts'
import { openImportFile } from './import-file.ts'

const saveCommand: Command = {
  words: ['form', 'save'],
  positionals: ['FILE'],
  flags: { org: text('ID', 'required') },
  summary: 'Create or update forms from JSON: one form, a list, or one form a line',
  details: [
    'All of them are saved, or none. A setting that is left out is cleared; a password that is left out stays, and null',
    'removes it. A form that cannot be submitted here is saved unpublished, with the reasons: the exit code is 0. One that an',
    'import has published so stays as it is while nothing of it changes.',
    'An unknown key of a form or field is refused. "form show" prints what this command takes.',
  ],
  examples: ['contact.json --org lakeside'],
  operations: [saveOrganizationForms],
  run: async (context, { values, positionals: [path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const forms = formsIn(path)
    const service = await context.service()
    const { body } = await service.call(saveOrganizationForms, {
      params: { organizationId },
      body: { forms },
    })
    for (const saved of body.data) for (const line of toldOfForm(saved)) context.out(line)
  },
}

/** The forms in a file, all of which are saved at once. */
function formsIn(path: string): Record<string, unknown>[] {
  const found = formsInFile(path)
  if (found.length === 0) throw new CommandError(`${path} has no form.`)
  if (found.length > FORMS_MAX) throw new CommandError(`At most ${FORMS_MAX} forms are saved at once.`)
  return found.map(({ at, value, problem }) => {
    if (isJsonObject(value)) return value
    throw new CommandError(`${path}, ${at}: this ${problem}.`)
  })
}

/** `form check` */
const formCheckCommand: Command = {
  words: ['form', 'check'],
  positionals: ['FILE'],
  flags: { format: text(importFormats.join('|')), org: text('ID') },
  summary: 'Say for each form whether it can be submitted here and, if not, why',
  details: [
    'Reads what "form save" takes, or CSV as an import does, and stores nothing. The exit code is 1 only when one of them',
    'is no form at all: a form that must be hosted is a valid form. Warnings do not change it. --org also looks at the',
    'stored active automations of that organization: a form without a limit per contact that starts an email or text',
    'message to the contact is warned of.',
  ],
  examples: ['forms.json', 'forms.csv --org lakeside'],
  operations: [checkForms],
  run: async (context, { values, positionals: [path = ''] }) => {
    const given = entriesIn(path, values)
    const organizationId = textOf(values, 'org')
    const service = await context.service()
    const others: string[] = []
    for await (const entries of batchesOf(given))
      others.push(...(await judge(entries, organizationId, service, context)))
    const [noun = ''] = others[0]?.split(' ') ?? []
    if (others.length > 0)
      throw new CommandError(
        `${others.length} ${others.length === 1 ? `${noun} is` : `${noun}s are`} no form.`,
      )
  },
}

/** A form of a file, or why it is unreadable, and where it is: `line 3` or `form 2`. */
type Entry = { readonly at: string } & (
  { readonly record: Readonly<Record<string, unknown>> } | { readonly issue: ImportIssue }
)

function entriesIn(path: string, values: FlagValues): AsyncIterable<Entry> | Iterable<Entry> {
  const { source, format } = openImportFile(path, values)
  if (format === 'csv') return entriesInCsv(source.open())
  return formsInFile(path).map(({ at, value, problem }) =>
    isJsonObject(value) ? { at, record: value } : { at, issue: unreadable(0, problem).issue },
  )
}

async function* entriesInCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const columns = kindOf('forms', importTools(noSecrets))
  for await (const { line, ...entry } of entriesOf(bytes, { format: 'csv', columns, mapping: {} }))
    yield { at: `line ${line}`, ...entry }
}

/** Reading the columns of a file needs no secrets. */
async function noSecrets(): Promise<never> {
  throw new Error('Reading a file needs no secret')
}

/**
 * The maximum number of characters of the forms in one request. Each takes three bytes at most, so a quarter of the
 * body is left for the JSON around them.
 */
const BATCH_CHARACTERS = checkForms.body.maxBytes / 4

async function* batchesOf(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = []
  let characters = 0
  for await (const entry of entries) {
    const length = 'record' in entry ? JSON.stringify(entry.record).length : 0
    if (batch.length > 0 && (batch.length === FORMS_MAX || characters + length > BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(entry)
    characters += length
  }
  // An empty file is checked too, because the given organization may not exist.
  yield batch
}

type Verdict = AnswerTo<typeof checkForms>['body']['data'][number]

/** Prints the service's verdicts on some forms, in their order. Returns where there are none. */
async function judge(
  entries: readonly Entry[],
  organizationId: string | undefined,
  service: OperatorService,
  streams: Streams,
): Promise<readonly string[]> {
  const forms = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []))
  const owner = organizationId === undefined ? {} : { organizationId }
  const { data } = (await service.call(checkForms, { body: { forms, ...owner } })).body
  const verdicts = data.values()
  return entries.flatMap((entry) => {
    const verdict = 'record' in entry ? verdicts.next().value : undefined
    const problems = 'record' in entry ? (verdict?.problems ?? []) : [entry.issue]
    for (const { field, message } of problems) streams.note(`${entry.at}: ${field} ${message}`)
    if (verdict === undefined || verdict.formId === null) return [entry.at]
    write(verdict, streams)
    return []
  })
}

function write({ formId, supported, reasons, warnings }: Verdict, { out }: Streams): void {
  out(`${String(formId)}: ${supported ? 'can be submitted here' : 'must be hosted'}`)
  for (const reason of reasons) out(`  ${reason}`)
  for (const warning of warnings) out(`  warning: ${warning}`)
}

export const commands = [saveCommand, formCheckCommand]

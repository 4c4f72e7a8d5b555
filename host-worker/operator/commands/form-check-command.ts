import { checkForms, FORMS_MAX } from '../../../domain/operators/endpoints/forms-check.ts'
import type { Entry } from '../../../domain/imports/entry.ts'
import { importFormats } from '../../../domain/imports/formats.ts'
import { importKind } from '../../../domain/imports/kinds.ts'
import { entriesOf } from '../../../domain/imports/read-part.ts'
import { importTools } from '../../http/imports.ts'
import { CommandError } from '../client/errors.ts'
import type { AnswerTo, OperatorService } from '../client/operator-service.ts'
import { textOf } from '../command/arguments.ts'
import type { Command } from '../command/command.ts'
import { text } from '../command/command.ts'
import type { Streams } from '../command/context.ts'
import { openImportFile } from './import-file.ts'

/** `form check` */
export const formCheckCommand: Command = {
  words: ['form', 'check'],
  positionals: ['FILE'],
  flags: { format: text(importFormats.join('|')), org: text('ID') },
  summary: 'Say for each form whether it can be submitted here and, if not, why',
  details: [
    'Reads the file of an import of forms, and stores nothing. The exit code is 1 only when a line is no form at all: a',
    'form that must be hosted is a valid form. Warnings do not change it. --org also looks at the stored active',
    'automations of that organization: a form without a limit per contact that starts an email or text message to',
    'the contact is warned of.',
  ],
  examples: ['forms.json', 'forms.csv --org lakeside'],
  operations: [checkForms],
  run: async (context, { values, positionals: [path = ''] }) => {
    const { source, format } = openImportFile(path, values)
    const columns = importKind('forms', importTools(noSecrets))
    if (columns === null) throw new Error('There is no import kind of forms')
    const organizationId = textOf(values, 'org')
    const service = await context.service()
    let unreadable = 0
    for await (const entries of batchesOf(entriesOf(source.open(), { format, columns })))
      unreadable += await judge(entries, organizationId, service, context)
    if (unreadable > 0)
      throw new CommandError(`${unreadable} ${unreadable === 1 ? 'line is' : 'lines are'} no form.`)
  },
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

async function* batchesOf(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
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

/** Prints the service's verdicts on some lines, in their order. Returns how many lines are not forms. */
async function judge(
  entries: readonly Entry[],
  organizationId: string | undefined,
  service: OperatorService,
  streams: Streams,
): Promise<number> {
  const forms = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []))
  const owner = organizationId === undefined ? {} : { organizationId }
  const { data } = (await service.call(checkForms, { body: { forms, ...owner } })).body
  const verdicts = data.values()
  let unreadable = 0
  for (const entry of entries) {
    const verdict = 'record' in entry ? verdicts.next().value : undefined
    const problems = 'record' in entry ? (verdict?.problems ?? []) : [entry.issue]
    for (const { field, message } of problems) streams.note(`line ${entry.line}: ${field} ${message}`)
    if (verdict === undefined || verdict.formId === null) unreadable += 1
    else write(verdict, streams)
  }
  return unreadable
}

function write({ formId, supported, reasons, warnings }: Verdict, { out }: Streams): void {
  out(`${String(formId)}: ${supported ? 'can be submitted here' : 'must be hosted'}`)
  for (const reason of reasons) out(`  ${reason}`)
  for (const warning of warnings) out(`  warning: ${warning}`)
}

import { addressNotes } from '../../../domain/operators/forms.ts'
import { saveOrganizationForms, toldOfForm } from '../../../domain/operators/change-forms.ts'
import { checkForms, FORMS_MAX } from '../../../domain/operators/forms-check.ts'
import { unreadable, foreignFile } from '../../../domain/imports/file/lines.ts'
import { importFormats } from '../../../domain/imports/file/transfer.ts'
import { kindOf } from '../../../domain/imports/kinds.ts'
import { entriesOf } from '../../../domain/imports/read-part.ts'
import type { ImportIssue } from '../../../domain/record/resource.ts'
import { CommandError, type OperatorService } from '../client/call-service.ts'
import { textOf, type Command, type Streams, importFile, givenPath } from '../command.ts'
import { mark, text, type FlagValues } from '../../../domain/record/command.ts'
import type { AnswerTo } from '../../../domain/record/operation.ts'
import { readFileSync } from 'node:fs'
import { decodeUtf8, isJsonObject, parsedOr, listOf } from '../../../domain/text/encoding.ts'
import { toolsWithoutSecrets } from '../../http/world.ts'
import { mistakeIn, mistakeText } from '../../../domain/text/json-mistake.ts'
import {
  showOrganizationAutomation,
  testAutomationStep,
  TESTS_HOURLY_MAX,
  type SendingStep,
} from '../../../domain/operators/automations.ts'
import {
  AUTOMATIONS_MAX,
  saveOrganizationAutomations,
  toldOfAutomation,
} from '../../../domain/operators/save-automations.ts'
import { RECIPIENT_DAILY_MAX } from '../../../domain/forms/message-text.ts'

/** More addresses than a person reads say less. */
const ADDRESSES_MAX = 10

const saveFormsCommand: Command = {
  words: ['form', 'save'],
  positionals: ['FILE'],
  flags: { org: text('ID', 'required'), unpublish: mark() },
  summary: 'Create or update forms from JSON: one form, a list, or one form a line',
  details: [
    'All of them are saved, or none. A setting that is left out is cleared; a password that is left out stays, and null',
    'removes it. A form that cannot be submitted here is saved unpublished, with the reasons: the exit code is 0. One that an',
    'import has published so stays as it is while nothing of it changes.',
    'A published form is never taken offline by saving it: what would do so is refused with the reasons. --unpublish saves',
    'every form of the file unpublished, in any case.',
    'An unknown key of a form or field is refused, and so is a type or an operator that does not exist. $schema is allowed,',
    'and not kept. "form show" prints what this command takes.',
  ],
  examples: ['contact.json --org lakeside', 'contact.json --org lakeside --unpublish'],
  operations: [saveOrganizationForms],
  run: async (context, { values, positionals: [path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const forms = savedAtOnce(path, 'form', FORMS_MAX)
    const service = await context.service()
    const { data } = await service.call(saveOrganizationForms, {
      params: { organizationId },
      body: { forms, ...(values.unpublish === true ? { unpublish: true } : {}) },
    })
    for (const saved of data) for (const line of toldOfForm(saved)) context.out(line)
    const addresses = data.flatMap((saved) => addressNotes(saved, service.url))
    for (const line of addresses.slice(0, ADDRESSES_MAX)) context.note(line)
  },
}

const saveAutomationsCommand: Command = {
  words: ['automation', 'save'],
  positionals: ['FILE'],
  flags: { org: text('ID', 'required') },
  summary: 'Create or update automations from JSON: one, a list, or one a line',
  details: [
    'All of them are saved, or none. A setting that is left out is cleared; a status that is left out stays, and a new',
    'automation without one is a draft, which nothing starts. In subject, html and body, {{fieldId}} is what the visitor has',
    'answered to that field: escaped in html, empty when there is no answer, and cut when it is long. A form, field or list',
    'that is not there is refused, with the nearest. "automation show" prints what this command takes.',
    `Automations send at most ${RECIPIENT_DAILY_MAX} messages a day to one address or number, and in all as many an hour as`,
    '"org create --automation-hourly" says.',
  ],
  examples: ['thanks.json --org lakeside'],
  operations: [saveOrganizationAutomations],
  run: async (context, { values, positionals: [path = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const automations = savedAtOnce(path, 'automation', AUTOMATIONS_MAX)
    const service = await context.service()
    const { data } = await service.call(saveOrganizationAutomations, {
      params: { organizationId },
      body: { automations },
    })
    for (const saved of data) context.out(toldOfAutomation(saved))
  },
}

/** The objects in a file, all of which are saved at once: forms, or whatever the noun says. */
function savedAtOnce(path: string, noun: string, max: number): Record<string, unknown>[] {
  const found = objectsInFile(path, noun)
  if (found.length === 0) throw new CommandError(`${path} has no ${noun}.`)
  if (found.length > max) throw new CommandError(`At most ${max} ${noun}s are saved at once.`)
  return found.map(({ at, value, problem }) => {
    if (isJsonObject(value)) return value
    throw new CommandError(`${path}, ${at}: this ${problem}.`)
  })
}

/** A value of a file of forms or the like, and where it is: `line 3` or `form 2`. */
interface ObjectInFile {
  readonly at: string
  /** Undefined: what is there is not JSON. */
  readonly value: unknown
  /** Why it is none of them: the rest of a sentence that begins with it, or with where it is. Empty: it is an object. */
  readonly problem: string
}

/**
 * What a file of forms or the like has: JSON in any layout, one of them or a list, or one a line. Throws a `CommandError`
 * that says where and what, when the file cannot be read, or is JSON in a layout that is broken.
 * @param noun what each of them is called
 */
function objectsInFile(path: string, noun: string): readonly ObjectInFile[] {
  const content = contentOf(path)
  const whole = parsedOr(content, undefined)
  if (whole !== undefined)
    return (Array.isArray(whole) ? whole : [whole]).map((value: unknown, index) =>
      objectAt(`${noun} ${index + 1}`, value),
    )
  const lines = content.split('\n').map((text, index) => ({ text: text.trimEnd(), number: index + 1 }))
  const written = lines.filter(({ text }) => text !== '')
  if (!hasOneALine(written.map(({ text }) => text))) throw notJson(path, content)
  return written.map(({ text, number }) => {
    const value = parsedOr(text, undefined)
    if (value !== undefined) return objectAt(`line ${number}`, value)
    const { column = 1, problem = '' } = mistakeIn(text) ?? {}
    return { at: `line ${number}, column ${column}`, value, problem: `is not JSON: ${problem}` }
  })
}

/**
 * Whether a text that is no JSON as a whole is meant to have one form a line: every line begins one, or the first line is
 * one. In any other layout a form begins in its first line and ends in a later one.
 */
function hasOneALine(lines: readonly string[]): boolean {
  const [first = ''] = lines
  return (
    isJsonObject(parsedOr(first, undefined)) ||
    (lines.length !== 1 && lines.every((line) => line.startsWith('{')))
  )
}

function objectAt(at: string, value: unknown): ObjectInFile {
  return { at, value, problem: isJsonObject(value) ? '' : 'must be a JSON object' }
}

function notJson(path: string, content: string): CommandError {
  const mistake = mistakeIn(content)
  return new CommandError(`${path} is not JSON: ${mistake === null ? '' : mistakeText(mistake)}.`)
}

function contentOf(path: string): string {
  const bytes = bytesOf(path)
  const foreign = foreignFile(bytes)
  if (foreign !== null) throw new CommandError(`${path}: line 1 ${foreign}.`)
  const text = decodeUtf8(bytes)
  if (text === null) throw new CommandError(`${path} is not in UTF-8. Save it as UTF-8.`)
  return text.replace(/^\uFEFF/, '')
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(givenPath(path))
  } catch (cause) {
    throw new CommandError(`${path} cannot be read.`, { cause })
  }
}

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
  | { readonly record: Readonly<Record<string, unknown>> }
  | { readonly issue: ImportIssue }
)

function entriesIn(path: string, values: FlagValues): AsyncIterable<Entry> | Iterable<Entry> {
  const { source, format } = importFile(path, values)
  if (format === 'csv') return entriesInCsv(source.open())
  return objectsInFile(path, 'form').map(({ at, value, problem }) =>
    isJsonObject(value) ? { at, record: value } : { at, issue: unreadable(0, problem).issue },
  )
}

async function* entriesInCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const columns = kindOf('forms', toolsWithoutSecrets())
  for await (const { line, ...entry } of entriesOf(bytes, { format: 'csv', columns, mapping: {} }))
    yield { at: `line ${line}`, ...entry }
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

type Verdict = AnswerTo<typeof checkForms>['data'][number]

/** Prints the service's verdicts on some forms, in their order. Returns where there are none. */
async function judge(
  entries: readonly Entry[],
  organizationId: string | undefined,
  service: OperatorService,
  streams: Streams,
): Promise<readonly string[]> {
  const forms = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []))
  const owner = organizationId === undefined ? {} : { organizationId }
  const { data } = await service.call(checkForms, { body: { forms, ...owner } })
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

function write({ formId, supported, reasons, warnings, findings }: Verdict, { out }: Streams): void {
  out(`${String(formId)}: ${supported ? 'can be submitted here' : 'must be hosted'}`)
  for (const { kind, sentence } of findings)
    if (kind === 'refused') out(`  "form save" refuses it: ${sentence}`)
  for (const reason of reasons) out(`  ${reason}`)
  for (const warning of warnings) out(`  warning: ${warning}`)
}

const testCommand: Command = {
  words: ['automation', 'test'],
  positionals: ['AUTOMATIONID'],
  flags: { step: text('N', 'required'), to: text('ADDRESS', 'required'), org: text('ID', 'required') },
  summary: 'Send a step of an automation to oneself, with sample answers',
  details: [
    'N counts from 1. The message goes to --to, an email address or for a text message a number, and is marked [Test]. At',
    `most ${TESTS_HOURLY_MAX} are sent an hour for an organization. The exit code is 1 when the provider did not take it.`,
  ],
  examples: ['thanks --step 1 --to grace@example.com --org lakeside'],
  operations: [testAutomationStep, showOrganizationAutomation],
  run: async (context, { values, positionals: [automationId = ''] }) => {
    const organizationId = textOf(values, 'org') ?? ''
    const service = await context.service()
    const { automation, formId } = await service.call(showOrganizationAutomation, {
      params: { organizationId, automationId },
    })
    const steps = listOf(automation.steps)
    const step = steps[Number(textOf(values, 'step')) - 1]
    if (!isJsonObject(step))
      throw new CommandError(
        `${automationId} has ${steps.length} steps: --step must be one of their numbers.`,
      )
    if (formId === null)
      throw new CommandError(`No form triggers ${automationId}, so there is nothing to try.`)
    if (step.type !== 'send_email' && step.type !== 'send_sms')
      throw new CommandError('This step sends nothing.')
    const { to, failure } = await service.call(testAutomationStep, {
      params: { organizationId },
      // The service has read it as a step.
      body: { formId, step: step as SendingStep, to: textOf(values, 'to') ?? '' },
    })
    if (failure !== null) throw new CommandError(`It was not sent: ${failure}`)
    context.note(`Sent to ${to}.`)
  },
}

export const commands = [saveFormsCommand, formCheckCommand, saveAutomationsCommand, testCommand]

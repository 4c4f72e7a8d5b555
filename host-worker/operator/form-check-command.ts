import type { Entry } from '../../domain/imports/entry.ts'
import { formKind } from '../../domain/imports/form-kind.ts'
import type { ImportKind } from '../../domain/imports/kind.ts'
import { entriesOf } from '../../domain/imports/read-part.ts'
import { withoutOwner } from '../../domain/imports/record-owner.ts'
import { checkForm } from '../../domain/operators/check-form.ts'
import { importTools } from '../wiring/imports.ts'
import { sendsText } from '../../domain/jobs/steps.ts'
import type { Command, Values } from './command.ts'
import { requiredOption } from './command.ts'
import type { Context } from './context.ts'
import { organizationOf } from './context.ts'
import { CommandError } from './errors.ts'
import { openImportFile } from './import-file.ts'

export const formCheck: Command = {
  words: ['form', 'check'],
  synopsis: 'FILE [--format ndjson|csv] [--org ID]',
  summary: 'Say for each form whether it can be submitted here and, if not, why',
  details: [
    'Reads the file of an import of forms; touches no database without --org. The exit code is 1 only when a line is no',
    'form at all: a form that must be hosted is a valid form. Warnings do not change it. --org also looks at the stored',
    'active automations of that organization: a form without a limit per contact that starts a text message is warned of.',
  ],
  options: { format: { type: 'string' }, org: { type: 'string' } },
  positionals: ['FILE'],
  run: async (context, values, [path = '']) => {
    const { source, format } = openImportFile(path, values)
    const { passwords, clock } = importTools(() => context.secrets())
    const kind = formKind(passwords, clock)
    const sendsTexts = await storedAutomations(context, values)
    let unreadable = 0
    for await (const entry of entriesOf(source.open(), { format, columns: kind })) {
      const { verdict, notes } = await judge(entry, kind, sendsTexts)
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

/** Whether submissions of a form start a text message. Without an organization that is not known of any. */
type SendsTexts = (formId: string) => Promise<boolean>

async function storedAutomations(context: Context, values: Values): Promise<SendsTexts> {
  if (values.org === undefined) return async () => false
  const { organizationId } = await organizationOf(context, requiredOption(values, 'org'))
  const tenant = (await context.storage()).tenant(organizationId)
  return async (formId) => {
    const found = await tenant.findMany('automations', ['status', 'steps'], [formId], 'triggerFormId')
    return found.some(({ status, steps }) => status === 'active' && sendsText(steps))
  }
}

/** The verdict on a form and the sentences under it; a null verdict: the line is no form, and the notes say why. */
interface Judgement {
  readonly verdict: string | null
  readonly notes: readonly string[]
}

async function judge(entry: Entry, kind: ImportKind, sendsTexts: SendsTexts): Promise<Judgement> {
  const verdict =
    'issue' in entry
      ? { kind: 'no_form' as const, issues: [entry.issue] }
      : await checkForm(withoutOwner(entry.record, kind), sendsTexts)
  if (verdict.kind === 'no_form') {
    const notes = verdict.issues.map(({ field, message }) => `line ${entry.line}: ${field} ${message}`)
    return { verdict: null, notes }
  }
  const { formId, supported, reasons, warnings } = verdict
  return {
    verdict: `${formId}: ${supported ? 'can be submitted here' : 'must be hosted'}`,
    notes: [...reasons.map((reason) => `  ${reason}`), ...warnings.map((warning) => `  warning: ${warning}`)],
  }
}

import { fieldPath } from '../../../../domain/forms/language/compile.ts'
import type { Finding } from '../../../../domain/forms/language/check.ts'
import { isJsonObject, membersOf } from '../../../../domain/text/encoding.ts'
import { fieldsIn, partAt, type FormJson } from './editing.ts'

/** What there is to say about a form, in the words of whoever edits it: fields by their labels, and what to do. */
export function inEditorsWords(findings: readonly Finding[], form: FormJson): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, sentence: wordsOf(finding, form) }))
}

/** What is refused at a setting of the form. */
const ofForm: Readonly<Record<string, string>> = {
  name: 'Give the form a name.',
  formId: 'Give the form an identifier of letters, digits, _ or -.',
  submissionLimitPerContact:
    'To limit submissions, the form needs a required question, always shown, for an email address or a phone number of the contact.',
}

function wordsOf({ path, sentence }: Finding, form: FormJson): string {
  const [part, index, setting] = path
  if (part === 'notificationEmails' && typeof index === 'number')
    return `“${String(partAt(form, path))}” is not an email address.`
  const plain = typeof part === 'string' && path.length === 1 ? ofForm[part] : undefined
  if (plain !== undefined) return plain
  if (part !== 'fields' || typeof index !== 'number') return sentence
  const field = partAt(form, fieldPath(index))
  if (!isJsonObject(field)) return sentence
  const name = labelOf(field, index)
  if (setting === 'visibleWhen')
    return conditionWords(name, partAt(form, path), form) ?? named(sentence, name)
  if (setting === 'label') return `Question ${index + 1} has no label.`
  if (
    setting === 'options' &&
    path.length === 3 &&
    (field.options === undefined || isEmptyList(field.options))
  )
    return `“${name}” has nothing to choose from. Add an option.`
  return named(sentence, name)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Why a condition cannot be judged; null: there is a better sentence. */
function conditionWords(name: string, part: unknown, form: FormJson): string | null {
  const { field: subject } = membersOf(part)
  if (typeof subject !== 'string') return null
  const found = fieldsIn(form)
    .map(membersOf)
    .find(({ id }) => id === subject)
  return found === undefined ? `“${name}”: the question that this depends on was removed.` : null
}

/** A sentence of the service, with the label of the field in place of its id and of its path. */
function named(sentence: string, name: string): string {
  return sentence
    .replace(/^fields\[\d+\]\./, () => `“${name}”: `)
    .replace(/^Field (?:"(?:[^"\\]|\\.)*"|\d+)/, () => `“${name}”`)
}

function labelOf(field: FormJson, index: number): string {
  const { label, id } = field
  const found = [label, id].find((text) => typeof text === 'string' && text.trim() !== '')
  return typeof found === 'string' ? found : `Question ${index + 1}`
}

import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import {
  hasEffect,
  sentencesOf,
  type FormPath,
  fieldPath,
} from '../../../../domain/forms/language/compile.ts'
import {
  contactFields,
  type AnswerType,
  type ContactField,
  type DisplayType,
} from '../../../../domain/forms/language/definition.ts'
import type { Finding } from '../../../../domain/forms/language/check.ts'
import { titleOf } from '../../../../domain/text/words.ts'
import { mistakeIn, mistakeText } from '../../../../domain/text/json-mistake.ts'
import { isJsonObject, listOf, membersOf, orderedJson } from '../../../../domain/text/encoding.ts'
import type { OrganizationProps } from '../organizations/organization.ts'
import { basedOn, failureOf, type Client } from '../service/client.ts'
import type { Reading } from '../service/hooks.ts'
import type { BodyOf } from '../service/operations.ts'

/** A form that is being edited. */
export interface Editing {
  readonly form: FormJson
  /** The form as it was last saved; empty: it never was. */
  readonly saved: FormJson
  /** Names each of the form's fields for as long as it is there, wherever it moves. */
  readonly keys: readonly number[]
  /** The field whose settings are shown; null: none. */
  readonly open: number | null
  /** The fields that were removed and can be brought back, the latest last. */
  readonly removed: readonly RemovedField[]
}

interface RemovedField {
  readonly field: unknown
  readonly key: number
  /** Where it was. */
  readonly index: number
}

/** One step of editing. */
export type Change = (editing: Editing) => Editing

/** The reducer of the editor. */
export function applied(editing: Editing, change: Change): Editing {
  return change(editing)
}

/** Begins to edit. */
export function editingOf(form: FormJson, saved: FormJson = form): Editing {
  return { form, saved, keys: fieldsIn(form).map((_, index) => index), open: null, removed: [] }
}

export function fieldsIn(form: FormJson): readonly unknown[] {
  return listOf(form.fields)
}

/** Whether there is something to save. */
export function isChanged({ form, saved }: Editing): boolean {
  return orderedJson(form) !== orderedJson(saved)
}

/** Sets a part of the form. Undefined removes it. Not for whole fields, which have names. */
export function setPart(path: FormPath, value: unknown): Change {
  return (editing) => ({ ...editing, form: withPart(editing.form, path, value) })
}

/** Changes the form by a function of it that leaves the fields in their places. */
export function changeForm(change: (form: FormJson) => FormJson): Change {
  return (editing) => ({ ...editing, form: change(editing.form) })
}

/** Puts another form in the place of this one, as the source does. Fields keep their names by their places. */
export function replaceForm(form: FormJson): Change {
  return ({ saved, keys, open }) => {
    const next = fieldsIn(form).map((_, index) => keys[index] ?? freshKey(keys) + index)
    return { form, saved, keys: next, open: open !== null && next.includes(open) ? open : null, removed: [] }
  }
}

/**
 * Takes note of what was saved.
 * @param sent the form that was sent; what was changed since then is still to be saved
 * @param stored the same as the service has it, with what it added
 */
export function savedAs(sent: FormJson, stored: FormJson): Change {
  return (editing) => ({ ...editing, form: editing.form === sent ? stored : editing.form, saved: stored })
}

/** Shows the settings of a field, or hides them. */
export function toggleField(key: number): Change {
  return (editing) => ({ ...editing, open: editing.open === key ? null : key })
}

export function openField(key: number | null): Change {
  return (editing) => ({ ...editing, open: key })
}

/** Adds a field behind the last one, and shows its settings. */
export function addField(type: FieldType): Change {
  return ({ form, keys, removed, ...rest }) => {
    const key = freshKey([...keys, ...removed.map((one) => one.key)])
    const fields = [...fieldsIn(form), newField(type, fieldsIn(form))]
    return { ...rest, removed, form: withPart(form, ['fields'], fields), keys: [...keys, key], open: key }
  }
}

export function removeField(index: number): Change {
  return ({ form, saved, keys, open, removed }) => ({
    form: withPart(form, ['fields'], fieldsIn(form).toSpliced(index, 1)),
    saved,
    keys: keys.toSpliced(index, 1),
    open: keys[index] === open ? null : open,
    removed: [...removed, { field: fieldsIn(form)[index], key: keys[index] ?? freshKey(keys), index }],
  })
}

/** Brings back the field that was removed last, to where it was. */
export function bringBack(): Change {
  return (editing) => {
    const { form, keys, removed } = editing
    const last = removed.at(-1)
    if (last === undefined) return editing
    const index = Math.min(last.index, keys.length)
    return {
      ...editing,
      form: withPart(form, ['fields'], fieldsIn(form).toSpliced(index, 0, last.field)),
      keys: keys.toSpliced(index, 0, last.key),
      removed: removed.slice(0, -1),
    }
  }
}

/** Moves a field. A place outside of the form changes nothing. */
export function moveField(from: number, to: number): Change {
  return (editing) => {
    const { form, keys } = editing
    if (from === to || to < 0 || to >= keys.length || from >= keys.length) return editing
    return {
      ...editing,
      form: withPart(form, ['fields'], withMoved(fieldsIn(form), from, to)),
      keys: withMoved(keys, from, to),
    }
  }
}

function freshKey(keys: readonly number[]): number {
  return Math.max(-1, ...keys) + 1
}

type FieldType = AnswerType | DisplayType

/** A field of a type that can be shown at once. An address fills the contact's, unless another field does. */
function newField(type: FieldType, others: readonly unknown[]): FormJson {
  const label = titleOf(type)
  const settings = others.map(membersOf)
  const attribute = contactFields.find((name) => name === type)
  const isFilled = (name: ContactField) => settings.some(({ contactField }) => contactField === name)
  return {
    id: freeId(
      idFrom(label, type),
      settings.map(({ id }) => id),
    ),
    type,
    label,
    ...(attribute !== undefined && !isFilled(attribute) ? { contactField: attribute } : {}),
    ...(hasEffect('options', type) ? { options: firstOptions } : {}),
  }
}

/** What a new choice has: one without options cannot be shown. */
export const firstOptions = [1, 2].map((count) => ({ value: `option_${count}`, label: `Option ${count}` }))

/** A form as JSON, as it was read: whatever the editor does not know of stays in it. */
export type FormJson = Readonly<Record<string, unknown>>

/** What is at a path; undefined: nothing. */
export function partAt(whole: unknown, path: FormPath): unknown {
  return path.reduce<unknown>(
    (part, key) => (typeof key === 'number' ? listOf(part)[key] : own(membersOf(part), key)),
    whole,
  )
}

function own(members: FormJson, key: string): unknown {
  return Object.hasOwn(members, key) ? members[key] : undefined
}

/** The form with another value at a path. Undefined removes what is there. */
export function withPart(form: FormJson, path: FormPath, value: unknown): FormJson {
  return membersOf(changed(form, path, value))
}

function changed(whole: unknown, [key, ...rest]: FormPath, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const items = [...listOf(whole)]
    const item = changed(items[key], rest, value)
    items.splice(key, 1, ...(item === undefined ? [] : [item]))
    return items
  }
  const members = membersOf(whole)
  const member = changed(own(members, key), rest, value)
  // A setting that is there keeps its place among the others.
  if (member !== undefined) return { ...members, [key]: member }
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key))
}

/** A list in which an item has another place. */
export function withMoved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const moved = items.slice(from, from + 1)
  return items.toSpliced(from, 1).toSpliced(to, 0, ...moved)
}

const ID_LENGTH = 60

/** How German writes what ASCII does not have. */
const spelling: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** An id made from what people call something; the fallback when that has no letter or digit of ASCII. */
export function idFrom(label: string, fallback: string): string {
  const spelt = label
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[äöüß]/g, (letter) => spelling[letter] ?? letter)
  const plain = spelt.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+/g, '')
  const id = words.slice(0, ID_LENGTH).replace(/_+$/, '')
  return id === '' ? fallback : id
}

/** The wanted id, or the first numbered one that is not taken. */
export function freeId(wanted: string, taken: readonly unknown[]): string {
  const candidates = [wanted, ...taken.map((_, index) => `${wanted}_${index + 2}`)]
  return candidates.find((candidate) => !taken.includes(candidate)) ?? wanted
}

/** A form as the service shows it. */
export type StoredForm = BodyOf<'organizationForms.show'>

/** What each page of a form is given. */
export interface FormPageProps extends OrganizationProps {
  readonly formId: string
  /** The form as the service has it. A page that changes it reads it again. */
  readonly reading: Reading<StoredForm>
}

/** What became of saving. */
type Saving =
  | { readonly kind: 'saved'; readonly stored: StoredForm; readonly reasons: readonly string[] }
  /**
   * Somebody else changed the form meanwhile, or one of this id is there already. `current` is how it is now; null: it
   * was deleted.
   */
  | { readonly kind: 'conflict'; readonly current: StoredForm | null }

export interface SaveInput {
  readonly form: FormJson
  /** Whether to publish it afterwards, or to take it back; null: neither. */
  readonly isPublished: boolean | null
}

/**
 * Saves a form.
 * @param replaced the form as the person has seen it; null: it is a new one
 */
export async function saveForm(
  client: Client,
  organizationId: string,
  replaced: StoredForm | null,
  { form, isPublished }: SaveInput,
): Promise<Saving> {
  const formId = typeof form.formId === 'string' ? form.formId : ''
  const params = { organizationId, formId }
  try {
    const body = { forms: [form], ...(isPublished === false ? { unpublish: true } : {}) }
    const saved = await client.call('organizationForms.save', {
      params: { organizationId },
      body,
      replaces: replaced,
    })
    const [result] = saved.data
    const last =
      isPublished === true && result?.supported === true
        ? await client.call('organizationForms.publish', { params, body: { isPublished }, replaces: saved })
        : saved
    const stored = await client.call('organizationForms.show', { params })
    return { kind: 'saved', stored: basedOn(stored, last), reasons: result?.reasons ?? [] }
  } catch (thrown) {
    const current = failureOf(thrown).current as StoredForm | null | undefined
    if (current === undefined) throw thrown
    return { kind: 'conflict', current }
  }
}

/**
 * Why saving a form as it is now takes it offline, in sentences; empty: it does not. The service refuses it unless it is
 * asked to unpublish the form.
 */
export function offlineReasons(
  stored: StoredForm | null,
  form: FormJson,
  findings: readonly Finding[],
): readonly string[] {
  if (stored?.isPublished !== true || orderedJson(form) === orderedJson(stored.form)) return []
  const reasons = sentencesOf(findings.filter(({ kind }) => kind === 'hosted'))
  return form.isPublished === false ? ['The source says so.', ...reasons] : reasons
}

/** What somebody else changed in a form, in the words of its source; empty: nothing that is shown. */
export function changedIn(seen: StoredForm | null, current: StoredForm): readonly string[] {
  if (seen === null) return []
  const [before, now] = [settingsOf(seen), settingsOf(current)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
}

function settingsOf({ form, requiresPassword }: StoredForm): Readonly<Record<string, unknown>> {
  return { ...form, password: requiresPassword }
}

/** A part of a text, by the positions of its first character and of the one behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The form that a source is, or why it is none. */
type SourceReading =
  | { readonly kind: 'form'; readonly form: FormJson }
  | { readonly kind: 'wrong'; readonly sentence: string; readonly place: Span }

/** Reads a source. */
export function readSource(source: string): SourceReading {
  try {
    const value: unknown = JSON.parse(source)
    if (isJsonObject(value)) return { kind: 'form', form: value }
    return {
      kind: 'wrong',
      sentence: 'A form is a JSON object, in { and }.',
      place: { start: 0, end: source.length },
    }
  } catch {
    const mistake = mistakeIn(source)
    if (mistake === null) throw new Error('A text that cannot be parsed has no mistake')
    const start = Math.min(mistake.offset, source.length)
    const place = { start, end: Math.min(start + 1, source.length) }
    const text = mistakeText(mistake)
    return { kind: 'wrong', sentence: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, place }
  }
}

/** Where a part of a form stands in its source: the part itself, else the smallest one around it that is there. */
export function placeIn(source: string, path: FormPath): Span {
  const tree = parseTree(source)
  const paths = path.map((_, index) => path.slice(0, path.length - index))
  const node =
    tree &&
    [...paths, []].map((part) => findNodeAtLocation(tree, [...part])).find((found) => found !== undefined)
  return node === undefined ? { start: 0, end: 0 } : { start: node.offset, end: node.offset + node.length }
}

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

/** What is wrong with a condition on a question that was removed; null: on others, of which the service's sentence says it. */
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

import type { ItemOf } from '../service/operations.ts'

type Subject = ItemOf<'audit.list'>['subject']

/** What a change is about, in a line: each of its facts with its name. */
export function subjectText(subject: Subject): string {
  if (subject === null) return ''
  const { type, ...facts } = subject
  const texts = Object.entries(facts).map(([name, value]) => `${name} ${factText(value)}`)
  return [type, ...texts].join(', ')
}

function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(itemText).join(' ')
  return typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value)
}

/** What changed in a form is an object of names. */
function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item)
  return Object.values(item).flat().join(' ')
}

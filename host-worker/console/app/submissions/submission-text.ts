import type { ItemOf } from '../service/operations.ts'

type Submission = ItemOf<'submissions.list'>

/** An answer, or another stored value, as a text. */
export function answerText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(answerText).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The first answers, as many as fit a line of a list, the last of them cut. */
export function answersLine(answers: Submission['answers']): readonly string[] {
  let left = LINE_LENGTH
  return Object.values(answers).flatMap((answer) => {
    const text = answerText(answer).slice(0, Math.max(0, left))
    left -= text.length
    return text === '' ? [] : [text]
  })
}

const LINE_LENGTH = 200

/** Who a contact is: the name, else an address, else the id. Null: nobody is known. */
export function contactText(contact: Submission['contact']): string | null {
  if (contact === null) return null
  const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ')
  return (
    [name, contact.email, contact.phone].find((text) => text !== null && text !== '') ?? contact.contactId
  )
}

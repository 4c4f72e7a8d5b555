import type { Stored } from '../engine/database.ts'
import type { Delivered } from '../service/handed-over.ts'
import type { Reference } from '../reference.ts'
import { openFormOf, organizationIds, markOf } from '../setting.ts'

type Violated = (invariant: string, details: string) => void

/** What was delivered to whom, when all work has been done. */
export interface AtRest {
  readonly stored: Stored
  readonly reference: Reference
  readonly email: readonly Delivered[]
  readonly sms: readonly Delivered[]
  /** The provider that never answers; null: none. */
  readonly broken: 'email' | 'sms' | null
  /** Whether nothing can be done for an organization, because its database stays broken. */
  readonly isStuck: (organizationId: string) => boolean
  /** Whether the run had no faults at all. */
  readonly isCalm: boolean
  readonly violated: Violated
}

/** Checks that are made when all possible work has been done. */
export function checkAtRest(world: AtRest): void {
  checkReceipts(world)
  checkNotifications(world)
  checkWelcomes(world)
  checkSends(world)
}

function checkReceipts({ reference, stored, violated }: AtRest): void {
  for (const { submissionId, organizationId, visitor } of reference.receipts.values()) {
    const [row] = stored.look(
      `select c.email_key from form_submissions as s join contacts as c
        on c.organization_id = s.organization_id and c.contact_id = s.contact_id
        where s.organization_id = ? and s.submission_id = ?`,
      organizationId,
      submissionId,
    )
    if (row?.email_key !== visitor.email) violated('each receipt has its row and its contact', submissionId)
  }
}

/** Checks that each recipient was notified of a submission, and only once. */
function checkNotifications({ reference, stored, email, broken, isStuck, violated }: AtRest): void {
  const told = Map.groupBy(
    email.filter(({ text }) => text !== ''),
    ({ text }) => /Submission (sub_\w+)\./.exec(text)?.[1] ?? '',
  )
  for (const row of stored.look('select organization_id, submission_id, form_id from form_submissions')) {
    const submissionId = String(row.submission_id)
    const versions = reference.receipts.get(submissionId)?.version ?? null
    const possible = versions === null ? reference.versionsOf(String(row.form_id)) : [versions]
    const mails = told.get(submissionId) ?? []
    checkOnce(mails, `of ${submissionId}`, violated)
    const to = [...new Set(mails.map((mail) => mail.to))].sort().join(', ')
    const isTold = possible.some(({ recipients }) => [...recipients].sort().join(', ') === to)
    if (!isTold && broken !== 'email' && !isStuck(String(row.organization_id)))
      violated('everybody is told of a submission', `${submissionId}: told ${to === '' ? 'nobody' : to}`)
  }
}

/**
 * Checks that a message arrived only once. A provider recognises a repetition for one day, so a message that an
 * operator retried later may arrive twice.
 */
function checkOnce(mails: readonly Delivered[], what: string, violated: Violated): void {
  const DAY_MS = 86_400_000
  for (const of of Map.groupBy(mails, ({ to }) => to).values()) {
    const twice = of.find(({ atMs }, index) => index > 0 && atMs - (of[index - 1]?.atMs ?? 0) < DAY_MS)
    if (twice !== undefined)
      violated('nobody is told twice', `${twice.to} ${what}, by ${of.map(({ key }) => key).join(' and ')}`)
  }
}

/** Checks that the automation of an open form sent a welcome for each submission. */
function checkWelcomes({ stored, email, sms, broken, isCalm, isStuck, violated }: AtRest): void {
  for (const organizationId of organizationIds.filter((id) => !isStuck(id))) {
    const rows = stored.look(
      `select c.email, c.phone, c.tags, count(*) as count from form_submissions as s join contacts as c
        on c.organization_id = s.organization_id and c.contact_id = s.contact_id
        where s.organization_id = ? and s.form_id = ? group by s.contact_id`,
      organizationId,
      openFormOf(organizationId),
    )
    for (const { email: address, phone, tags, count } of rows) {
      const title = `Welcome ${markOf(organizationId)}`
      const ofContact = ({ to, title: of }: Delivered) => of === title && (to === address || to === phone)
      const emails = email.filter(ofContact).length
      const texts = sms.filter(ofContact).length
      const who = `${String(address)} of ${organizationId}: ${String(count)} runs, ${emails} emails, ${texts} texts`
      const isTagged = JSON.stringify(JSON.parse(String(tags))) === '["guest"]'
      if (!isTagged) violated('an automation does each step once', `${who}, tags ${String(tags)}`)
      if (broken === null && (emails < Number(count) || texts < Number(count)))
        violated('an automation does each step', who)
      if (isCalm && (emails > Number(count) || texts > Number(count)))
        violated('an automation does each step once', who)
    }
  }
  const byRun = Map.groupBy(
    email.filter(({ title }) => title.startsWith('Welcome')),
    ({ key }) => key,
  )
  for (const [key, mails] of byRun) checkOnce(mails, `by ${key}`, violated)
}

/** Checks that each send which an answer called successful took place, and that none took place twice. */
function checkSends({ reference, email, violated }: AtRest): void {
  const bySubject = Map.groupBy(email, ({ title }) => title)
  for (const { subject, to } of reference.sent) {
    const mails = (bySubject.get(subject) ?? []).filter((mail) => mail.to === to)
    if (mails.length === 0) violated('what was called sent was sent', `${subject} to ${to}`)
  }
  for (const [subject, mails] of bySubject) {
    if (subject.startsWith('mailer')) checkOnce(mails, `with ${subject}`, violated)
  }
}

import { DIGEST_MS, SINGLES_MAX } from '../../../domain/forms/outbox.ts'
import type { Row } from '../engine/changes.ts'
import type { PlacedChange } from '../service/stored-places.ts'
import { lateMaxMs, type Verdicts } from './verdicts.ts'
import { digestIn, isAtHome, textOf, type ChangeCheck, type HomeChange, type Watch } from './watch.ts'

/** What a visitor gave in a form. */
interface Given {
  readonly firstName: string | null
  readonly email: string | null
  readonly phone: string | null
}

/** The columns of a contact that a submission may fill. */
const FILLED = ['first_name', 'email', 'email_key', 'phone'] as const
type Filled = Readonly<Record<(typeof FILLED)[number], string | null>>

/**
 * Checks each submission at the moment at which it is saved or released, against a second implementation of its rules:
 * the contact that it finds or creates, the work that follows, and the limit of its form.
 */
export function createSavedChecks(
  { stored, faults, nowMs, violated, happened }: Watch,
  verdicts: Verdicts,
): ChangeCheck {
  const contactsBefore = (organizationId: string, changes: readonly PlacedChange[]): readonly Row[] => {
    const changed = new Map(
      changes
        .filter(({ table, isHome }) => isHome && table === 'contacts')
        .map(({ before, after }) => [after?.contact_id, before]),
    )
    return stored
      .rowsOf(organizationId, 'contacts')
      .map((row) => (changed.has(row.contact_id) ? (changed.get(row.contact_id) ?? null) : row))
      .filter((row) => row !== null)
  }
  /** @returns the contacts afterwards, so that those that are released together are looked at one after the other */
  const checkContact = ({ organizationId, after }: HomeChange, contacts: readonly Row[]): readonly Row[] => {
    const given = givenIn(after)
    const matched = matchOf(given, contacts)
    const found = stored.rowOf(organizationId, 'contacts', after?.contact_id)
    const what = `${organizationId} ${textOf(after?.submission_id)}, ${JSON.stringify(given)}`
    if (matched !== null && matched.contact_id !== after?.contact_id)
      violated(
        'a submission finds its contact',
        `${what}: ${textOf(matched.contact_id)}, not ${JSON.stringify(found)}`,
      )
    if (matched === null && contacts.some(({ contact_id: id }) => id === after?.contact_id))
      violated('a submission finds its contact', `${what}: a new one, not ${JSON.stringify(found)}`)
    const wanted = filledBy(given, matched, contacts)
    const filled = matched ?? { contact_id: after?.contact_id, created_at: after?.submitted_at }
    const others = contacts.filter((row) => row !== matched)
    if (
      matched === null &&
      (found?.tags !== '[]' ||
        found.email_consent !== 'unknown' ||
        found.sms_consent !== 'unknown' ||
        found.created_at !== after?.submitted_at)
    )
      violated('a submission fills its contact', `${what}: ${JSON.stringify(found)}`)
    if (matched !== null && matched.email_key !== keyOf(given.email))
      happened('a submission finds its contact by the phone')
    if (given.phone !== null && wanted.phone === null)
      happened('a contact gets no phone because another one has it')
    return [...others, { ...filled, ...wanted }]
  }
  const checkContacts = (followed: readonly HomeChange[], changes: readonly PlacedChange[]): void => {
    for (const [organizationId, of] of Map.groupBy(followed, (change) => change.organizationId)) {
      const before = contactsBefore(organizationId, changes)
      const wanted = of.reduce((contacts, change) => checkContact(change, contacts), before)
      const touched = new Set(of.map(({ after }) => after?.contact_id))
      for (const row of wanted.filter(({ contact_id: id }) => touched.has(id))) {
        const found = stored.rowOf(organizationId, 'contacts', row.contact_id)
        const wrong = FILLED.find((column) => found?.[column] !== row[column])
        if (wrong !== undefined)
          violated(
            'a submission fills its contact',
            `${organizationId}, ${wrong} ${JSON.stringify(row[wrong])} of ${JSON.stringify(found)}`,
          )
      }
    }
  }
  const toldAtMs = new Map<string, number[]>()
  /** As many submissions of a form are told of one by one as may be, and no others. */
  const checkTold = (form: string, isGathered: boolean, submissionId: string): void => {
    const lateMs = lateMaxMs(faults)
    const ages = (toldAtMs.get(form) ?? []).map((atMs) => nowMs() - atMs)
    const count = (maxMs: number) => ages.filter((ageMs) => ageMs < maxMs).length
    const [least, most] = [count(DIGEST_MS - lateMs), count(DIGEST_MS + lateMs)]
    if (isGathered ? most < SINGLES_MAX : least >= SINGLES_MAX)
      violated(
        'what is over is gathered into a digest',
        `${submissionId} of ${form} after ${least} to ${most}: ${isGathered ? 'gathered' : 'told by itself'}`,
      )
    if (isGathered) happened('a submission is gathered into a digest')
    else toldAtMs.set(form, [...(toldAtMs.get(form) ?? []), nowMs()])
  }
  const checkWork = (
    { organizationId, before, after }: HomeChange,
    changes: readonly PlacedChange[],
  ): void => {
    const [submissionId, formId] = [textOf(after?.submission_id), textOf(after?.form_id)]
    const form = stored.rowOf(organizationId, 'forms', formId)
    const { notificationEmails = [] } = JSON.parse(textOf(form?.definition)) as {
      readonly notificationEmails?: readonly string[]
    }
    const triggered = stored
      .rowsOf(organizationId, 'automations')
      .filter((row) => row.trigger_form_id === formId && row.status === 'active')
      .map((row) => textOf(row.automation_id))
    const digest = notificationEmails.length > 0 ? digestOf(changes, submissionId, formId) : null
    const isGathered = digest !== null
    if (digest !== null) verdicts.gathered.set(submissionId, digest.first.includes(submissionId))
    if (notificationEmails.length > 0) checkTold(`${organizationId} ${formId}`, isGathered, submissionId)
    const wanted = [
      ...(isGathered ? [] : notificationEmails).map(
        (to) => `notification_email ${JSON.stringify({ submissionId, formId, to })}`,
      ),
      ...triggered.map((automationId) => `automation_run ${JSON.stringify({ automationId })}`),
    ]
    // What webhooks are told, the check of deliveries looks at.
    const entries = changes.filter(
      ({ table, isHome, before: was, after: entry }) =>
        isHome &&
        table === 'outbox' &&
        was === null &&
        entry?.submission_id === submissionId &&
        entry.kind !== 'webhook_delivery' &&
        entry.kind !== 'notification_digest',
    )
    const found = entries.map(({ after: entry }) => `${textOf(entry?.kind)} ${textOf(entry?.payload)}`)
    if ([...found].sort().join() !== wanted.sort().join())
      violated(
        'a submission is saved with its work',
        `${submissionId} of ${formId}: ${found.join()}, not ${wanted.join()}`,
      )
    for (const { after: entry } of entries)
      if (entry?.attempts !== 0 || entry.status !== 'pending')
        violated('a submission is saved with its work', `${submissionId}: ${JSON.stringify(entry)}`)
    const limit = (JSON.parse(textOf(form?.definition)) as { readonly submissionLimitPerContact?: number })
      .submissionLimitPerContact
    // What is released was counted by nobody when it came.
    if (limit === undefined || before !== null) return
    const same = stored
      .rowsOf(organizationId, 'form_submissions')
      .filter((row) => row.form_id === formId && row.contact_id === after?.contact_id)
    if (same.length > limit) violated('the limit is exact', `${submissionId}: ${same.length} of ${formId}`)
  }
  return (changes) => {
    for (const { table, before } of changes.filter(isAtHome))
      if (table === 'form_submissions' && before === null) happened('a submission is saved')
    const followed = verdicts.followedIn(changes)
    checkContacts(followed, changes)
    for (const change of followed) checkWork(change, changes)
  }
}

/** The digest into which a batch has gathered a submission; null: it is told of by itself. */
function digestOf(changes: readonly PlacedChange[], submissionId: string, formId: string) {
  const entries = changes
    .filter(({ table, isHome }) => isHome && table === 'outbox')
    .map(({ after }) => after)
  const isSingle = entries.some(
    (entry) => entry?.kind === 'notification_email' && entry.submission_id === submissionId,
  )
  const digests = entries.filter((entry) => entry?.kind === 'notification_digest').map(digestIn)
  return isSingle ? null : (digests.find((digest) => digest.formId === formId) ?? null)
}

function givenIn(submission: Row | null): Given {
  const { name, email, phone } = JSON.parse(textOf(submission?.answers)) as Readonly<
    Record<string, string | undefined>
  >
  // The numbers of the world are given in the national form of its one country.
  return { firstName: name ?? null, email: email ?? null, phone: phone === undefined ? null : `+1${phone}` }
}

function keyOf(email: string | null): string | null {
  return email?.toLowerCase() ?? null
}

const isEmpty = (value: unknown): boolean => value === null || value === ''

/** The contact that a submission belongs to; null: a new one. */
function matchOf({ email, phone }: Given, contacts: readonly Row[]): Row | null {
  const inOrder = [...contacts].sort(
    (left, right) =>
      compare(textOf(left.created_at), textOf(right.created_at)) ||
      compare(textOf(left.contact_id), textOf(right.contact_id)),
  )
  const byEmail = email === null ? undefined : inOrder.find((row) => row.email_key === keyOf(email))
  const mayBe = (row: Row) => row.phone === phone && (email === null || row.email_key === null)
  return byEmail ?? (phone === null ? undefined : inOrder.find(mayBe)) ?? null
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The columns of a contact after a submission. An address or number that another contact has is not given to it. */
function filledBy({ firstName, email, phone }: Given, matched: Row | null, contacts: readonly Row[]): Filled {
  const others = contacts.filter((row) => row !== matched)
  const isMine = (column: string, value: string | null) =>
    !others.some((row) => value !== null && row[column] === value)
  const usable = {
    first_name: firstName,
    email: isMine('email_key', keyOf(email)) ? email : null,
    email_key: isMine('email_key', keyOf(email)) ? keyOf(email) : null,
    phone: isMine('phone', phone) ? phone : null,
  }
  if (matched === null) return usable
  return Object.fromEntries(
    FILLED.map((column) => [
      column,
      isEmpty(matched[column]) ? (usable[column] ?? matched[column]) : matched[column],
    ]),
  ) as unknown as Filled
}

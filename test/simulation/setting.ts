import { issueKey, issueOperatorKey } from '../../domain/access/keys.ts'
import type { Secrets } from '../../domain/access/secrets.ts'
import { newOrganization } from '../../domain/organizations/settings.ts'
import { toInstant } from '../../domain/text/instant.ts'
import type { RandomSource } from '../../ports/platform.ts'
import type { StoredRow } from '../../ports/records.ts'
import { automation } from '../../adapters/conformance/outbox.ts'
import type { PlacedStorage } from '../../domain/placement/placed-storage.ts'
import type { PlaceChoice } from '../../ports/placement.ts'
import type { FormVersion, Reference, Visitor } from './reference.ts'

/** The organizations of the simulated world. */
export const organizationIds = ['acme', 'beta', 'gamma'] as const

/** The maximum number of submissions by one contact, for forms with a limit. */
export const LIMIT = 2

/** The maximum number of messages that an organization's automations send within an hour. */
export const AUTOMATION_HOURLY = 10

/** The numbers of the steps that send, in the automation of each open form. */
export const AUTOMATION_STEPS = { sms: 2, email: 3 }

const VISITORS = 6

/** The same people visit the forms of all organizations. The last one has an address that email providers refuse. */
export const visitors: readonly Visitor[] = Array.from({ length: VISITORS }, (_, index) => ({
  emails: [
    `visitor-${index}@${index === VISITORS - 1 ? 'nowhere.invalid' : 'example.com'}`,
    `v${index}@home.example`,
  ],
  // Two people each share a number.
  phones: [`+1212555011${index}`, `+1212555012${Math.floor(index / 2)}`],
}))

/** The organizations that are made while the world runs. */
export const founded = ['delta', 'echo'] as const

const nameOf = (number: number): string => `Person ${number}.`
const addressOf = (number: number): string => `Person-${number}.@example.com`

/** The organization that comes and goes. Only one operator and the service itself change it. */
export const passing = {
  organizationId: 'passing',
  formId: 'passing-form',
  /** How many people it has at first. */
  people: 4,
  /** The name and the address of a person, by a number. No text of anybody else contains them. */
  nameOf,
  addressOf,
  contactOf: (number: number) => ({
    contactId: `person-${number}`,
    firstName: nameOf(number),
    email: addressOf(number),
    tags: [nameOf(number)],
    emailConsent: 'subscribed',
    smsConsent: 'unknown',
    createdAt: '2026-01-01T00:00:00.000Z',
  }),
  /** A submission with the contact of a person, and one without it. */
  submissionsOf(number: number, submittedAt: string) {
    const more = {
      formId: 'passing-form',
      attribution: { utm_source: nameOf(number) },
      source: 'headless',
      submittedAt,
    }
    const [contactId, name] = [`person-${number}`, nameOf(number)]
    return [
      { submissionId: `${contactId}-with`, contactId, answers: { name }, ...more },
      {
        submissionId: `${contactId}-without`,
        contactId: null,
        answers: { mail: [addressOf(number)] },
        ...more,
      },
    ]
  },
} as const

/** The subject of email that is sent with a forged key. */
export const FORGED_SUBJECT = 'forged'

export const openFormOf = (organizationId: string): string => `${organizationId}-open`
export const limitedFormOf = (organizationId: string): string => `${organizationId}-limited`
/** The form that nobody is told of, for what comes in numbers. */
export const plainFormOf = (organizationId: string): string => `${organizationId}-plain`

/** Texts that are spam whoever writes them, and long ones that are none unless they come too often. */
export const SPAM_TEXTS = [
  'Buy cheap viagra and cialis in our online casino',
  'Backlinks for your website from our SEO experts at https://links.example',
] as const
export const LONG_TEXTS = [
  'We are open on Monday, and somebody asks for that more than once in a day',
  'The lamp in the hall upstairs is broken again, could you have a look at it',
] as const

/** A text by which its network is known, which is too short to be compared with others. */
export const floodTextOf = (network: number, nth: number): string => `From network ${network}, ${nth}.`
/** The network in such a text; null: it is another one. */
export const networkIn = (text: string): string | null => /^From network (\d+),/.exec(text)?.[1] ?? null
/** An address of a network. A household has many of them in the second. */
export const addressIn = (network: number, nth: number): string =>
  network === 1 ? '192.0.2.1' : `2001:db8::${(nth + 1).toString(16)}`

/** A word that all data of an organization contains, and that of no other organization. */
export const markOf = (organizationId: string): string => `of-${organizationId}`

/** The line of a forms import for a version of a form. The receipt's title shows the version. */
export function formLine(
  formId: string,
  { version, isPublished, recipients }: Omit<FormVersion, 'acknowledgedAt'>,
): StoredRow {
  const [organizationId = '', kind] = formId.split('-')
  return {
    formId,
    name: `Form ${markOf(organizationId)} v${version}`,
    isPublished,
    successTitle: `v${version}`,
    notificationEmails: recipients,
    ...(kind === 'limited' ? { submissionLimitPerContact: LIMIT } : {}),
    fields: [
      { id: 'name', type: 'short_text', label: 'Name', contactField: 'firstName' },
      { id: 'email', type: 'email', label: 'Email', required: kind === 'limited', contactField: 'email' },
      { id: 'phone', type: 'phone', label: 'Phone', required: kind === 'open', contactField: 'phone' },
      { id: 'message', type: 'long_text', label: 'Message' },
    ],
  }
}

export function recipientsOf(organizationId: string, version: number): readonly string[] {
  const staff = `staff-${version % 3}@${organizationId}.example`
  return version % 2 === 0 ? [staff] : [staff, `office@${organizationId}.example`]
}

/** The dependencies of setting up the world. */
export interface Founding {
  readonly storage: PlacedStorage
  readonly secrets: Secrets
  readonly random: RandomSource
  readonly nowMs: number
  readonly reference: Reference
  /** The first place of an organization without a parent. */
  readonly choiceOf: (organizationId: string) => PlaceChoice
  readonly parentOf: (organizationId: string) => string | null
}

/**
 * Creates the organizations with their forms, keys and automations.
 * @returns the key of an operator
 */
export async function found(founding: Founding): Promise<string> {
  const { storage, secrets, random, nowMs } = founding
  for (const organizationId of organizationIds) await foundOrganization(organizationId, founding)
  await foundPassing(founding)
  const grant = { operator: 'operator', role: 'admin', expiresAt: null, issuedBy: null } as const
  const { key, stored } = await issueOperatorKey(grant, secrets, random, { nowMs: () => nowMs })
  const by = { operatorKeyId: null, operator: 'founder', organizationId: null, subject: null }
  const entry = { auditId: 'founding', at: toInstant(nowMs), action: 'found', ...by }
  await storage.operatorChanges(entry).addOperatorKey({ key: stored, proof: null })
  return key
}

async function foundPassing({ storage, nowMs, choiceOf }: Founding): Promise<void> {
  const { organizationId, formId, people } = passing
  await storage.administration.saveOrganization(
    newOrganization(organizationId, 'Passing'),
    null,
    choiceOf(organizationId),
  )
  const tenant = storage.tenant(organizationId)
  const definition = { formId, name: 'Form', isPublished: true, notificationEmails: [], fields: [] }
  const createdAt = toInstant(nowMs)
  const row = { formId, name: 'Form', isPublished: true, publishedAt: null, passwordHash: null }
  await tenant.upsert('forms', [{ ...row, createdAt, definition }])
  const nothing = { lastName: null, phone: null, licensePlate: null, source: null, siteId: null }
  for (let number = 1; number <= people; number += 1) {
    const emailKey = passing.addressOf(number).toLowerCase()
    await tenant.upsert('contacts', [{ ...nothing, ...passing.contactOf(number), emailKey }])
    const submittedAt = toInstant(nowMs - number * DAY_MS)
    await tenant.upsert('form-submissions', passing.submissionsOf(number, submittedAt))
  }
}

const DAY_MS = 86_400_000

async function foundOrganization(organizationId: string, founding: Founding): Promise<void> {
  const { storage, secrets, random, nowMs, reference, choiceOf, parentOf } = founding
  const createdAt = toInstant(nowMs)
  const settings = { ...newOrganization(organizationId, markOf(organizationId)), slug: organizationId }
  const parentId = parentOf(organizationId)
  const organization = {
    ...settings,
    parentId,
    smsNumber: '+12125550100',
    automationHourly: AUTOMATION_HOURLY,
  }
  const choice = parentId === null ? choiceOf(organizationId) : undefined
  const outcome = await storage.administration.saveOrganization(organization, null, choice)
  if (outcome !== 'saved') throw new Error(`${organizationId} was not founded: ${outcome}`)
  const tenant = storage.tenant(organizationId)
  for (const formId of [openFormOf, limitedFormOf, plainFormOf].map((of) => of(organizationId))) {
    const recipients = formId === plainFormOf(organizationId) ? [] : recipientsOf(organizationId, 1)
    const first = reference.formBegins(formId, { version: 1, isPublished: true, recipients })
    first.acknowledgedAt = reference.now()
    const definition = formLine(formId, first)
    const row = { formId, name: definition.name, isPublished: true, publishedAt: null, passwordHash: null }
    await tenant.upsert('forms', [{ ...row, createdAt, definition }])
  }
  const list = { listId: 'guests', name: 'Guests', description: null, type: 'static', createdAt }
  await tenant.upsert('contact-lists', [list])
  await tenant.upsert('automations', [welcomeOf(organizationId)])
  await tenant.upsert('contacts', [
    memberOf(organizationId, 3, 'smsConsent'),
    memberOf(organizationId, 4, 'emailConsent'),
  ])
  const clock = { nowMs: () => nowMs }
  for (const { lastsMs, ...settings } of FIRST_KEYS) {
    const expiresAt = lastsMs === Infinity ? null : toInstant(nowMs + lastsMs)
    const { key: text, stored } = await issueKey(
      { organizationId, expiresAt, ...settings },
      secrets,
      random,
      clock,
    )
    await storage.administration.addKey(stored)
    const { keyId } = stored
    reference.keys.push({
      organizationId,
      keyId,
      text,
      state: 'works',
      endsAtMs: nowMs + lastsMs,
      ...settings,
    })
  }
}

/** The keys with which each organization begins; `lastsMs`: after how long they expire. */
export const FIRST_KEYS = [
  { scope: 'all', ratePerMinute: null, lastsMs: Infinity },
  { scope: 'all', ratePerMinute: null, lastsMs: Infinity },
  { scope: 'read', ratePerMinute: null, lastsMs: Infinity },
  { scope: 'send', ratePerMinute: null, lastsMs: Infinity },
  { scope: 'all', ratePerMinute: 3, lastsMs: Infinity },
  { scope: 'all', ratePerMinute: null, lastsMs: 1_000 },
] as const

/** A contact whom an organization knows from the beginning, and who has unsubscribed from one channel. */
function memberOf(organizationId: string, index: number, channel: 'emailConsent' | 'smsConsent'): StoredRow {
  const { emails, phones } = visitors[index] ?? { emails: [''], phones: [''] }
  return {
    contactId: `member-${index}`,
    firstName: markOf(organizationId),
    lastName: null,
    email: emails[0],
    emailKey: emails[0],
    phone: phones[0],
    licensePlate: null,
    tags: [],
    emailConsent: 'subscribed',
    smsConsent: 'subscribed',
    source: null,
    siteId: null,
    createdAt: '2025-01-01T00:00:00.000Z',
    [channel]: 'unsubscribed',
  }
}

/** The automation that every submission of the open form triggers. */
function welcomeOf(organizationId: string): StoredRow {
  const title = `Welcome ${markOf(organizationId)}`
  return automation('welcome', {
    trigger: { type: 'form_submission', formId: openFormOf(organizationId) },
    triggerFormId: openFormOf(organizationId),
    steps: [
      { type: 'add_tag', tag: 'guest' },
      { type: 'send_sms', body: title },
      { type: 'send_email', to: 'contact', subject: title, html: '<p>Welcome</p>' },
      { type: 'add_to_list', listId: 'guests' },
    ],
  })
}

/**
 * What the service has promised to its clients. It is derived from answers only, never from the service's own state: a
 * receipt promises that the submission is kept and everybody is notified; a confirmed change applies to every later
 * request.
 */

/** A form's definition, as an operator imported it. A form's versions are counted from 1. */
export interface FormVersion {
  readonly version: number
  readonly isPublished: boolean
  /** The addresses that must be notified of a submission checked against this version. */
  readonly recipients: readonly string[]
  /** When an answer said that it is stored; null: none has yet. */
  acknowledgedAt: number | null
}

/** A person with several addresses and numbers, in E.164. The second number is shared with somebody else. */
export interface Visitor {
  readonly emails: readonly [string, string]
  readonly phones: readonly [string, string]
}

export interface Receipt {
  readonly submissionId: string
  readonly organizationId: string
  readonly formId: string
  readonly version: FormVersion
  /** What the visitor gave: the address in lower case, the number in E.164; null: nothing. */
  readonly email: string | null
  readonly phone: string | null
}

export interface KnownKey {
  readonly organizationId: string
  readonly keyId: string
  readonly text: string
  /** `ending`: a client tried to revoke or replace it, and the outcome is unknown. */
  state: 'works' | 'ending' | 'revoked'
  /** When the key expires, according to an answer; infinity: it does not, as far as is known. */
  endsAtMs: number
  readonly scope: 'read' | 'send' | 'all'
  readonly ratePerMinute: number | null
}

/** A change that an operator asked for, with the action of its audit record. */
export interface AskedChange {
  readonly action: string
  readonly organizationId: string
}

/** A message that a client sent with a key, and what the answer said about it. */
export interface SentMessage {
  readonly channel: 'email' | 'sms'
  /** The subject of an email, the text of a text message. */
  readonly title: string
  readonly to: string
  readonly organizationId: string
  readonly isAccepted: boolean
}

/** A message that a client asked to send, whatever the answer. */
export interface Mailing {
  readonly organizationId: string
  /** Whether the request carried an idempotency key. */
  readonly isKeyed: boolean
}

/** The secrets of a webhook, as far as answers told them; null: it is not known. */
export interface HookSecrets {
  /** The present one, and when an answer told it, in ms. */
  newest: { readonly secret: string; readonly atMs: number } | null
  /** The one before, and until when it signs besides, in ms. */
  previous: { readonly secret: string; readonly untilMs: number } | null
  /** Whether somebody asked to delete the webhook. */
  isDeleteAsked: boolean
}

/** What was asked for in the organization that comes and goes. */
export interface PassingPromises {
  /** The numbers of the people of whom an answer said that they were erased. */
  readonly erased: Set<number>
  /** The ids of submissions that may have been deleted. */
  readonly asked: Set<string>
  /** For how many days submissions may be kept, since the organization exists. */
  readonly days: Set<number>
}

export interface Reference {
  /** The present logical time. A smaller number means earlier. */
  now(): number
  readonly receipts: Map<string, Receipt>
  readonly keys: KnownKey[]
  /** The newest key of an organization that must work, and may be used for that. */
  workingKey(organizationId: string, use: 'read' | 'send'): KnownKey | undefined
  /** Whether a key must work, without an end and without a rate, and may be used for that. */
  isUsable(key: KnownKey, use: KnownKey['scope']): boolean
  /** The sends of which an answer told the outcome. */
  readonly sent: SentMessage[]
  /** The messages that clients asked to send, by their titles. */
  readonly mailings: Map<string, Mailing>
  /** What is known of webhooks, by their own ids. */
  readonly hooks: Map<string, HookSecrets>
  readonly passing: PassingPromises
  /** The changes by operators that an answer confirmed. */
  readonly changes: AskedChange[]
  readonly formIds: () => readonly string[]
  versionsOf(formId: string): readonly FormVersion[]
  /**
   * Called when an operator begins to replace a form: from now on submissions may be checked against either version.
   */
  formBegins(formId: string, version: Omit<FormVersion, 'acknowledgedAt'>): FormVersion
  /**
   * The versions against which a submission may have been checked that was sent at `sentAt` and is answered now: all
   * that were begun, except those whose replacement was confirmed before the submission was sent.
   */
  versionsSince(formId: string, sentAt: number): readonly FormVersion[]
}

export function createReference(): Reference {
  const versions = new Map<string, FormVersion[]>()
  const versionsOf = (formId: string) => versions.get(formId) ?? []
  let moments = 0
  const keys: KnownKey[] = []
  const isUsable: Reference['isUsable'] = ({ state, endsAtMs, scope, ratePerMinute }, use) =>
    state === 'works' && endsAtMs === Infinity && ratePerMinute === null && (scope === 'all' || scope === use)
  return {
    now: () => ++moments,
    receipts: new Map(),
    keys,
    isUsable,
    workingKey: (organizationId, use) =>
      keys.findLast((key) => key.organizationId === organizationId && isUsable(key, use)),
    sent: [],
    mailings: new Map(),
    hooks: new Map(),
    passing: { erased: new Set(), asked: new Set(), days: new Set() },
    changes: [],
    formIds: () => [...versions.keys()],
    versionsOf,
    formBegins(formId, begun) {
      const version = { ...begun, acknowledgedAt: null }
      versions.set(formId, [...versionsOf(formId), version])
      return version
    },
    versionsSince(formId, sentAt) {
      const all = versionsOf(formId)
      const wasThere = ({ acknowledgedAt }: FormVersion) => acknowledgedAt !== null && acknowledgedAt < sentAt
      return all.slice(Math.max(0, all.findLastIndex(wasThere)))
    },
  }
}

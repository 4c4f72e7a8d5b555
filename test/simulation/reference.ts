/**
 * What the service has promised, as its clients know it. It looks at answers alone, never into the service: a receipt is a
 * promise that the submission is kept and everybody is told; an acknowledged change holds for every request after it.
 */

/** A definition of a form, as an operator had it imported. Versions of a form count from 1. */
export interface FormVersion {
  readonly version: number
  readonly isPublished: boolean
  /** Who must be told of a submission that was checked against it. */
  readonly recipients: readonly string[]
  /** When an answer said that it is stored; null: none has yet. */
  acknowledgedAt: number | null
}

export interface Visitor {
  readonly email: string
  /** E.164. */
  readonly phone: string
}

export interface Receipt {
  readonly submissionId: string
  readonly organizationId: string
  readonly formId: string
  readonly version: FormVersion
  readonly visitor: Visitor
}

export interface KnownKey {
  readonly organizationId: string
  readonly keyId: string
  readonly text: string
  /** `ending`: somebody tried to revoke or replace it, and it may work or not. */
  state: 'works' | 'ending' | 'revoked'
  /** When it ends by itself, as an answer said; infinite: it does not, as far as anybody knows. */
  endsAtMs: number
}

/** A change that an operator asked for, as the audit names it. */
export interface AskedChange {
  readonly action: string
  readonly organizationId: string
}

export interface Reference {
  /** A number that grows: what has a smaller one was before. */
  now(): number
  readonly receipts: Map<string, Receipt>
  readonly keys: KnownKey[]
  /** Subjects of the sends that an answer called successful, with their recipient. */
  readonly sent: { readonly subject: string; readonly to: string }[]
  /** What an answer said was changed by an operator. */
  readonly changes: AskedChange[]
  readonly formIds: () => readonly string[]
  versionsOf(formId: string): readonly FormVersion[]
  /** An operator begins to have a form replaced: from now on submissions may be checked against either. */
  formBegins(formId: string, version: Omit<FormVersion, 'acknowledgedAt'>): FormVersion
  /**
   * The versions that a submission may have been checked against, which was sent at `sentAt` and answered now: those that
   * were begun, less those that another one had replaced, for all to know, before it was sent.
   */
  versionsSince(formId: string, sentAt: number): readonly FormVersion[]
}

export function createReference(): Reference {
  const versions = new Map<string, FormVersion[]>()
  const versionsOf = (formId: string) => versions.get(formId) ?? []
  let moments = 0
  return {
    now: () => ++moments,
    receipts: new Map(),
    keys: [],
    sent: [],
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

import type { StoredKey, Organization, StoredOperatorKey } from '../../ports/organizations.ts'
import type { StorageType } from './field.ts'

type StorageOf<Value> = Value extends string
  ? 'text'
  : Value extends number
    ? 'integer'
    : Value extends boolean
      ? 'boolean'
      : 'json'

/**
 * How a database stores each field of a type: its storage type, with `?` when it may be null. The words follow from the
 * type, so a field that is missing here, or has another word, does not compile.
 */
export type StoredFields<Row> = {
  readonly [
    Name in keyof Row & string
  ]: `${StorageOf<NonNullable<Row[Name]>>}${null extends Row[Name] ? '?' : ''}`
}

/** A field of `StoredFields`, taken apart. */
export interface StoredFieldShape {
  readonly storage: StorageType
  readonly nullable: boolean
}

/** Takes the word of a field apart: `text?` is a text that may be null. */
export function storedFieldShape(word: `${StorageType}${'' | '?'}`): StoredFieldShape {
  return { storage: word.replace('?', '') as StorageType, nullable: word.endsWith('?') }
}

/** The stored fields of an organization. Tables, rows and their columns are derived from it. */
export const organizationFields: StoredFields<Organization> = {
  organizationId: 'text',
  name: 'text',
  slug: 'text?',
  parentId: 'text?',
  smsNumber: 'text?',
  phoneCountry: 'text',
  posSource: 'json?',
  billingEvents: 'boolean',
  analytics: 'boolean',
  retentionOfferAnalytics: 'boolean',
  automationHourly: 'integer',
}

/** The stored fields of a key of an organization or of the platform. */
export const keyFields: StoredFields<StoredKey> = {
  keyId: 'text',
  kind: 'text',
  organizationId: 'text?',
  hash: 'text',
  secretVersion: 'text',
  createdAt: 'text',
  revokedAt: 'text?',
  label: 'text?',
  scope: 'text',
  expiresAt: 'text?',
  ratePerMinute: 'integer?',
  lastUsedAt: 'text?',
  successorId: 'text?',
  issuedBy: 'text?',
}

/** The stored fields of an operator's key. */
export const operatorKeyFields: StoredFields<StoredOperatorKey> = {
  keyId: 'text',
  operator: 'text',
  role: 'text',
  hash: 'text',
  secretVersion: 'text',
  createdAt: 'text',
  expiresAt: 'text?',
  revokedAt: 'text?',
  lastUsedAt: 'text?',
  issuedBy: 'text?',
}

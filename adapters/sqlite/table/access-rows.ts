import type { StoredKey, Organization } from '../../../ports/organizations.ts'
import { keyFields, organizationFields } from '../../../domain/record/stored-fields.ts'
import type { StoredRow } from '../database/stored.ts'
import { rowCodec } from './stored-row.ts'

/** Row of the table `api_keys`. */
export type KeyRow = StoredRow<StoredKey>

/** Row of the table `organizations`, without its clock. */
export type OrganizationRow = StoredRow<Organization>

export const { columns: keyColumns, fromRow: keyFromRow, toRow: keyToRow } = rowCodec<StoredKey>(keyFields)

const organizations = rowCodec<Organization>(organizationFields)
export const { fromRow: organizationFromRow, toRow: organizationToRow } = organizations

/** The columns of `organizations` that hold an organization's settings. */
export const settingColumns = organizations.columns.filter((column) => column !== 'organization_id')

import * as v from 'valibot'
import { described, worded } from '../record/meaning.ts'
import type { PosSourceTie } from '../../ports/organizations.ts'
import { isPosKind, posKinds, posSourceKinds, SOURCE_NAME, SOURCE_NAME_FORM } from '../pos/index.ts'

const TENANT_MAX_LENGTH = 200

/** The point of sale that serves an organization, as the text `KIND:TENANT`, or `none`. */
export const PosSourceText = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value: text }, addIssue, NEVER }): PosSourceTie | null => {
    if (text === 'none') return null
    const [, kind = '', tenant = ''] = /^([^:]*):(.*)$/s.exec(text) ?? []
    const problem = isPosKind(kind) && isTenant(tenant) ? nameProblem({ kind, tenant }) : NO_TIE
    if (isPosKind(kind) && problem === null) return { kind, tenant }
    addIssue({ message: problem ?? NO_TIE })
    return NEVER
  }),
)

const NO_TIE = `must be none or KIND:TENANT, where KIND is one of ${posKinds.join(', ')}`

const KIND_MEANING = 'The kind of system.'
const KIND_WORDS: Readonly<Record<PosSourceTie['kind'], string>> = {
  legacy_vendor: 'Legacy vendor',
  odbc_shared: 'ODBC, a source that several share',
  odbc_second: 'ODBC, a source of its own',
}
const TENANT_MEANING = 'What tells the organization apart there.'

/** The point of sale that serves an organization, in responses. */
export const PublishedPosSource = v.strictObject({
  kind: described(v.picklist(posKinds), KIND_MEANING),
  tenant: described(v.string(), TENANT_MEANING),
})

/** The point of sale that serves an organization, as an object in requests. */
export const PosSourceObject = v.pipe(
  v.strictObject(
    {
      kind: worded(described(v.picklist(posKinds, `must be one of ${posKinds.join(', ')}`), KIND_MEANING), {
        choices: KIND_WORDS,
      }),
      tenant: worded(
        described(
          v.pipe(
            v.string('must be a string'),
            v.check(isTenant, `must be 1 to ${TENANT_MAX_LENGTH} characters without control characters`),
          ),
          TENANT_MEANING,
        ),
        { label: 'Its name at the point of sale' },
      ),
    },
    'must be an object with kind and tenant, or null',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? nameProblem(dataset.value) : null
    if (problem !== null) addIssue({ message: problem })
  }),
)

/**
 * The problem of a tenant's name; null: none. For some kinds the tenant is the name of a data source, which has a form
 * of its own.
 */
function nameProblem({ kind, tenant }: PosSourceTie): string | null {
  if (posSourceKinds[kind].tenantIs !== 'source' || SOURCE_NAME.test(tenant)) return null
  return `${kind}: takes the name of a data source: ${SOURCE_NAME_FORM}`
}

function isTenant(text: string): boolean {
  return text !== '' && text === text.trim() && text.length <= TENANT_MAX_LENGTH && !/\p{Cc}/u.test(text)
}

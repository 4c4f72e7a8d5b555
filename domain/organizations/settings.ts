import * as v from 'valibot'
import type { Organization, PosSourceTie } from '../../ports/organizations.ts'
import { sets, text, type Flag } from '../record/command.ts'
import { described, worded, type Words } from '../record/meaning.ts'
import { parsedOr, keysOf } from '../text/encoding.ts'
import { isOrganizationId, ORGANIZATION_ID_MAX_LENGTH } from '../access/keys.ts'
import { PLATFORM_LOCAL_PART } from '../messaging/sender.ts'
import { isPhoneCountry, phoneToE164 } from '../text/phone-number.ts'
import { isPosKind, posKinds, posSourceKinds, SOURCE_NAME, SOURCE_NAME_FORM } from '../pos/index.ts'

// The settings of an organization. Each message is the rest of a sentence that begins with the setting's name.

/**
 * The local part of an email address has at most 64 octets (RFC 5321). A slug may also become a DNS label, which has at
 * most 63.
 */
const SLUG_MAX_LENGTH = 63

const SLUG = /^[a-z0-9](?:-?[a-z0-9])*$/

const NAME_MAX_LENGTH = 200

/** The word that stands for no parent in text, so that no organization can have it as its id. */
export const NONE = 'none'

/** The id of an organization, chosen by the operator. */
export const OrganizationId = v.pipe(
  v.string(),
  v.check((text) => text !== NONE, `must not be ${NONE}, which stands for no organization`),
  v.check(
    isOrganizationId,
    `must be 1 to ${ORGANIZATION_ID_MAX_LENGTH} letters, digits, _ or -, and begin with a letter or digit`,
  ),
)

const Name = v.pipe(
  v.string(),
  v.check(
    (text) => text.trim() !== '' && text.length <= NAME_MAX_LENGTH && !/\p{Cc}/u.test(text),
    `must be 1 to ${NAME_MAX_LENGTH} characters, without control characters`,
  ),
)

const Slug = v.pipe(
  v.string(),
  v.check(
    (text) => text !== PLATFORM_LOCAL_PART,
    `${PLATFORM_LOCAL_PART} would make the operator's own sender address the tenant's`,
  ),
  v.check(
    (text) => SLUG.test(text) && text.length <= SLUG_MAX_LENGTH,
    `must be at most ${SLUG_MAX_LENGTH} lower-case letters, digits and single hyphens between them`,
  ),
)

const SmsNumber = v.pipe(
  v.string(),
  // Without a country, only the international form can be parsed. A number is accepted when it already is its own E.164
  // form.
  v.check(
    (text) => phoneToE164(text, '') === text,
    'must be a valid number in E.164 form, such as +12125550100',
  ),
)

const PhoneCountry = v.pipe(
  v.string(),
  v.check(isPhoneCountry, 'must be an ISO 3166-1 alpha-2 code in upper case, such as US'),
)

/** A bound is checked by reading the messages that it allows, so it is not arbitrarily large. */
const HOURLY_MAX = 10_000

const HOURLY = `must be a whole number of messages an hour from 1 to ${HOURLY_MAX}`

/** How many messages automations send within any hour. */
const HourlyMessages = v.pipe(
  v.number(HOURLY),
  v.integer(HOURLY),
  v.minValue(1, HOURLY),
  v.maxValue(HOURLY_MAX, HOURLY),
)

const TENANT_MAX_LENGTH = 200

/** The point of sale that serves an organization, as the text `KIND:TENANT`, or `none`. */
const PosSourceText = v.pipe(
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
const PublishedPosSource = v.strictObject({
  kind: described(v.picklist(posKinds), KIND_MEANING),
  tenant: described(v.string(), TENANT_MEANING),
})

/** The point of sale that serves an organization, as an object in requests. */
const PosSourceObject = v.pipe(
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

/** A setting of an organization: everything that the operator interface, the command line and the console say about it. */
interface Setting<Value> {
  /** What it means, alike in requests and responses. */
  readonly meaning: string
  readonly words: Words
  /** Its schema in requests. Each message is the rest of a sentence that begins with the setting's name. */
  readonly schema: v.GenericSchema<Value>
  /** Its schema in responses: the form alone, without the rules of requests. */
  readonly published: v.GenericSchema<Value>
  /** Reads it from the text of a flag. Each message is the rest of a sentence that begins with the flag. */
  readonly fromText: v.GenericSchema<string, Value>
  readonly flag: SettingFlag
}

/** The flag of a setting on the command line. */
interface SettingFlag {
  readonly name: string
  /** What stands for the value in the help. */
  readonly placeholder: string
  /** Whether an empty value is accepted, and clears the setting. */
  readonly isClearable: boolean
}

type SettingName = Exclude<keyof Organization, 'organizationId'>

function required(
  schema: v.GenericSchema<string>,
  name: string,
  placeholder: string,
  meaning: string,
  words: Words = {},
): Setting<string> {
  const flag = { name, placeholder, isClearable: false }
  return { meaning, words, schema, published: v.string(), fromText: schema, flag }
}

/** A text, or null. An empty flag clears it, and so do other given words. */
function clearable(
  schema: v.GenericSchema<string>,
  name: string,
  placeholder: string,
  meaning: string,
  words: Words,
  ...clearedBy: readonly string[]
): Setting<string | null> {
  const clearing = v.pipe(
    v.picklist(['', ...clearedBy]),
    v.transform(() => null),
  )
  return {
    meaning,
    words,
    schema: v.nullable(schema),
    published: v.nullable(v.string()),
    fromText: v.union([clearing, schema]),
    flag: { name, placeholder, isClearable: true },
  }
}

const YesNo = v.pipe(
  v.picklist(['yes', 'no'], 'must be yes or no'),
  v.transform((text) => text === 'yes'),
)

function truth(name: string, label: string, meaning: string): Setting<boolean> {
  return {
    meaning,
    words: { label },
    schema: v.boolean('must be true or false'),
    published: v.boolean(),
    fromText: YesNo,
    flag: { name, placeholder: 'yes|no', isClearable: false },
  }
}

/** The settings of an organization. The schemas of requests and responses, and the flags, are derived from them. */
export const organizationSettings: { readonly [Key in SettingName]: Setting<Organization[Key]> } = {
  name: required(Name, 'name', 'N', 'What people read. Required for a new organization.'),
  slug: clearable(Slug, 'slug', 'S', 'Local part of its email address; null: it sends no email.', {
    label: 'Sender of email',
    hint: 'What stands before the @ of its own address. Left empty, its customers get no email from it; what tells its people of submissions still goes out, from the service’s address.',
  }),
  parentId: clearable(
    OrganizationId,
    'parent',
    `ID|${NONE}`,
    'The organization that also reads its reviews; null: none. Set to null, it unties an organization, which is possible in the shared database only.',
    { hint: 'The identifier of the organization that also reads its reviews. Left empty: none.' },
    NONE,
  ),
  smsNumber: clearable(
    SmsNumber,
    'sms-number',
    'E164',
    'Its own number, in E.164; null: it sends by the short code alone.',
    {
      label: 'Sender of text messages',
      hint: 'Its own number, such as +12125550100. Left empty: it sends by the short code alone.',
    },
  ),
  phoneCountry: required(
    PhoneCountry,
    'phone-country',
    'US',
    'The country of numbers that name none (ISO 3166-1 alpha-2).',
    {
      label: 'Country of phone numbers',
      hint: 'The country of numbers that name none, in two letters such as US.',
    },
  ),
  posSource: {
    meaning: 'Its point of sale; null: none.',
    words: { label: 'Point of sale', none: 'None' },
    schema: v.nullable(PosSourceObject),
    published: v.nullable(PublishedPosSource),
    fromText: PosSourceText,
    flag: { name: 'pos-source', placeholder: 'KIND:TENANT|none', isClearable: true },
  },
  billingEvents: truth(
    'billing-events',
    'Its provider reports what it bills',
    'Whether its provider reports what it bills.',
  ),
  analytics: truth('analytics', 'It may use the analytics', 'Whether it may use the analytics endpoints.'),
  retentionOfferAnalytics: truth(
    'retention-offer-analytics',
    'It may use the analytics of retention offers',
    'Whether it may use the analytics of retention offers.',
  ),
  automationHourly: {
    meaning: 'Most messages that its automations send within any hour.',
    words: {
      label: 'Messages of automations an hour',
      hint: 'At most so many within any hour; what is over waits.',
    },
    schema: HourlyMessages,
    published: v.pipe(v.number(), v.integer(), v.minValue(1)),
    fromText: v.pipe(v.string(), v.regex(/^\d+$/, HOURLY), v.transform(Number), HourlyMessages),
    flag: { name: 'automation-hourly', placeholder: 'N', isClearable: false },
  },
}

/** The flag of each setting. */
export const organizationFlags = settingsAs(({ flag }) => flag)

/** The flags of the settings on the command line, by their names. */
export const settingFlags: Readonly<Record<string, Flag>> = Object.fromEntries(
  keysOf(organizationSettings).map((setting) => {
    const { flag, fromText } = organizationSettings[setting]
    const { name, placeholder, isClearable } = flag
    return [name, sets(setting, { ...text(placeholder), mayBeEmpty: isClearable }, fromText)]
  }),
)

/** The entries of an organization's published settings. */
export const publishedSettings = settingsAs(({ published, meaning, words }) =>
  worded(described(published, meaning), words),
) as {
  readonly [Key in SettingName]: v.GenericSchema<Organization[Key]>
}

/** The settings of an organization in the operator interface. Those that are left out keep their values. */
export const OrganizationSettings = v.strictObject(
  settingsAs(({ schema, meaning, words }) => v.exactOptional(worded(described(schema, meaning), words))) as {
    readonly [Key in SettingName]: v.ExactOptionalSchema<v.GenericSchema<Organization[Key]>, undefined>
  },
)

/** A record with the names of the settings. A function cannot keep the type of each setting apart, so callers say it. */
function settingsAs<Made>(make: (setting: Setting<unknown>) => Made): Readonly<Record<SettingName, Made>> {
  const made = keysOf(organizationSettings).map((name) => {
    return [name, make(organizationSettings[name])] as const
  })
  return Object.fromEntries(made) as Record<SettingName, Made>
}

/**
 * Why settings are refused, as `org create` refuses them: a sentence that names the first that is wrong. Null: they are
 * right. Other members than settings are passed over.
 */
export function settingsProblem(given: Readonly<Record<string, unknown>>): string | null {
  const settings = keysOf(organizationSettings).flatMap((name) => {
    const value = given[name]
    // In an archive a document may be its text.
    const read = name === 'posSource' && typeof value === 'string' ? parsedOr(value, value) : value
    return value === undefined ? [] : [[name, read] as const]
  })
  const reading = v.safeParse(OrganizationSettings, Object.fromEntries(settings))
  if (reading.success) return null
  const [{ path, message }] = reading.issues
  return `${(path ?? []).map(({ key }) => String(key)).join('.')}: ${message}.`
}

/** A new organization with an id, a name and defaults. */
export function newOrganization(organizationId: string, name: string): Organization {
  return {
    organizationId,
    name,
    slug: null,
    parentId: null,
    smsNumber: null,
    phoneCountry: 'US',
    posSource: null,
    billingEvents: true,
    analytics: false,
    retentionOfferAnalytics: false,
    automationHourly: 500,
  }
}

/** Why a parent is refused: it does not exist, or it is the organization itself. */
export function parentProblem(organizationId: string, parentId: string): string {
  if (parentId === organizationId) return 'An organization cannot be its own parent.'
  return `There is no organization ${parentId}, so it cannot be the parent.`
}

/** Why an organization that is closed is refused. */
export function restoringProblem(organizationId: string): string {
  return `${organizationId} is being restored from an archive or deleted. Call "org restore" again with that archive, or "org delete", to finish it.`
}

import { createDraw } from '../draw.ts'
import type { Draw } from '../draw.ts'
import { siteIds } from '../sites.ts'

/** A demo contact as an import line; the submissions are made from these too. */
export interface DemoContact {
  readonly contactId: string
  readonly firstName: string
  readonly lastName: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly licensePlate: string | null
  readonly tags: readonly string[]
  readonly emailConsent: string
  readonly smsConsent: string
  readonly source: string | null
  readonly siteId: string | null
  readonly createdAt: string
}

const COUNT = 2_000
const SEED = 20_261_001

const firstNames = [
  'Ada',
  'Noah',
  'Zoë',
  'José',
  'Siobhán',
  'Łukasz',
  'Mia',
  'Oluwaseun',
  '美咲',
  'Aarav',
  'François',
  'Chloe',
  'Nguyễn',
  'Björk',
  'Ольга',
  'Mateo',
  'Fatima',
  'Grace',
  'İrem',
  'Liam',
  'Nia',
  'Şebnem',
  'Ivy',
  'محمد',
  'Θεοδώρα',
] as const
const lastNames = [
  'Lovelace',
  'García',
  "O'Neill",
  'Wójcik',
  'Smith',
  'Adébáyò',
  '佐藤',
  'Sharma',
  'Lefèvre',
  'Müller-Lüdenscheidt',
  'Van Dyke',
  'Guðmundsdóttir',
  'Иванова',
  'Silva',
  'Hassan',
  'Hopper',
  'Yılmaz',
  'Brown',
  'Kowalski',
  'Diaz',
  'Chen',
] as const

/** Area codes. Each has the hundred numbers 555-0100 to 555-0199, which are reserved for fiction. */
const areaCodes = [
  201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 224, 225, 228, 229,
] as const
const tags = ['member', 'fleet', 'vip', 'coupon', 'lapsed', 'new-mover'] as const
const consents = ['subscribed', 'unsubscribed', 'unknown'] as const
const sources = ['website', 'pos', 'import', 'referral', null] as const

/** The demo's contacts, the same in every run. Most are complete; some have only an email, a phone or a name. */
export function demoContacts(): readonly DemoContact[] {
  const draw = createDraw(SEED)
  return Array.from({ length: COUNT }, (_, index) => contact(index, draw))
}

function contact(index: number, draw: Draw): DemoContact {
  const number = String(index + 1).padStart(4, '0')
  return {
    contactId: `contact-${number}`,
    firstName: draw.pick(firstNames),
    lastName: draw.chance(95) ? draw.pick(lastNames) : null,
    email: draw.chance(90)
      ? `Customer.${number}@${draw.pick(['example.com', 'example.org', 'example.net'])}`
      : null,
    phone: draw.chance(80) ? phoneOf(index) : null,
    licensePlate: draw.chance(60) ? plate(draw) : null,
    tags: tags.filter(() => draw.chance(15)),
    emailConsent: draw.pick(consents),
    smsConsent: draw.pick(consents),
    source: draw.pick(sources),
    siteId: draw.chance(85) ? draw.pick(siteIds) : null,
    createdAt: draw.instant(),
  }
}

/** The phone number of a contact. No two contacts have the same number. */
function phoneOf(index: number): string {
  const areaCode = areaCodes[Math.floor(index / 100)] ?? areaCodes[0]
  return `+1${areaCode}55501${String(index % 100).padStart(2, '0')}`
}

function plate(draw: Draw): string {
  const letters = Array.from({ length: 3 }, () => String.fromCharCode(65 + draw.below(26))).join('')
  return `${letters}-${1000 + draw.below(9000)}`
}

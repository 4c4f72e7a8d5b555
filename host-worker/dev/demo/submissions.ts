import type { DemoContact } from './people/contacts.ts'
import type { Draw } from './draw.ts'
import { createDraw } from './draw.ts'

const COUNT = 500
const SEED = 500_2026

const messages = [
  'Do you wash pickup trucks?',
  'The new brushes are great — my car has never been this clean.',
  'I was charged twice in May.\nCould you have a look, please?',
  '¿Abren los domingos?',
  '洗車は何分かかりますか。',
  'My “unlimited” plan does not scan at Downtown 🚗💦',
] as const
const topics = ['question', 'praise', 'complaint'] as const

type Answers = Readonly<Record<string, unknown>>

/** The demo's submissions as import lines: each by a contact that has an email address. */
export function* submissionLines(
  contacts: readonly DemoContact[],
): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  const reachable = contacts.filter(({ email }) => email !== null)
  for (let index = 1; index <= COUNT; index += 1) {
    const contact = reachable[draw.below(reachable.length)]
    if (contact === undefined) return
    const [formId, answers] = draw.pick(makers)(contact, draw)
    yield {
      submissionId: `submission-${String(index).padStart(4, '0')}`,
      formId,
      contactId: contact.contactId,
      answers: { email: contact.email, ...answers },
      attribution: attribution(draw),
      source: draw.chance(70) ? 'headless' : 'hosted',
      submittedAt: draw.instant(),
    }
  }
}

type Maker = (contact: DemoContact, draw: Draw) => readonly [formId: string, answers: Answers]

const makers: readonly [Maker, ...Maker[]] = [
  ({ firstName, lastName, phone }, draw) => [
    'demo-contact',
    {
      firstName,
      ...(lastName === null ? {} : { lastName }),
      // A phone answer consists of the last ten digits.
      ...(phone === null ? {} : { phone: phone.slice(-10) }),
      ...(draw.chance(80) ? { topic: draw.pick(topics) } : {}),
      message: draw.pick(messages),
    },
  ],
  (_contact, draw) => [
    'demo-damage-claim',
    { ...damage(draw), visitDate: draw.instant().slice(0, 10), truthful: true },
  ],
  ({ licensePlate }, draw) => [
    'demo-members',
    { ...(licensePlate === null ? {} : { licensePlate }), extras: ['wax', 'tires'].slice(draw.below(2)) },
  ],
]

/** Answers that satisfy the form's conditions: hidden fields have none. */
function damage(draw: Draw): Answers {
  const cost = draw.below(2_500)
  const known = { estimatedCost: cost, ...(cost > 1_000 ? { hasReport: draw.chance(40) } : {}) }
  const damageType = draw.pick(['mirror', 'paint', 'other'])
  if (damageType === 'mirror') return { ...known, damageType, mirrorSide: draw.pick(['left', 'right']) }
  return damageType === 'other'
    ? { ...known, damageType, description: 'The antenna broke off.' }
    : { ...known, damageType }
}

function attribution(draw: Draw): Readonly<Record<string, string>> {
  if (draw.chance(40)) return {}
  if (draw.chance(30))
    return { gclid: `demo-${draw.below(1_000_000)}`, landing_url: 'https://sparkle.example.com/' }
  return {
    utm_source: draw.pick(['google', 'newsletter', 'facebook']),
    utm_medium: draw.pick(['cpc', 'email', 'social']),
    utm_campaign: draw.pick(['spring-shine', 'été', 'winter-salt']),
  }
}

import { baseMs, createDraw } from './draw.ts'

const SEED = 12_2026
const WEEKS = 12
const EVENTS = 1_800
const DAY_MS = 86_400_000

interface DemoLink {
  readonly linkId: string
  readonly key: string
  readonly title: string
  readonly tags: readonly string[]
  readonly archived: boolean
}

const link = (key: string, title: string, tags: readonly string[], archived = false): DemoLink => ({
  linkId: `demo-link-${key}`,
  key,
  title,
  tags,
  archived,
})

const demoLinks: readonly [DemoLink, ...DemoLink[]] = [
  link('spring', 'Spring shine vouchers', ['campaign', 'email']),
  link('summer', 'Summer pass', ['campaign', 'email']),
  link('fall', 'Fall membership drive', ['campaign', 'sms']),
  link('join', 'Join the club', ['membership']),
  link('gift', 'Gift cards', ['shop']),
  link('wash', 'Single washes', ['shop']),
  link('fleet', 'Fleet accounts', ['b2b']),
  link('hours', 'Opening hours', []),
  link('review', 'Rate your wash', ['feedback', 'sms']),
  link('jobs', 'Work with us', []),
  link('grand-opening', 'Grand opening', ['campaign'], true),
  link('unused', 'A link that nobody followed', []),
]

/** The demo's short links as import lines. */
export const linkLines: readonly object[] = demoLinks.map(({ key, ...rest }, index) => ({
  ...rest,
  key,
  domain: 'go.sparkle.example',
  shortUrl: `https://go.sparkle.example/${key}`,
  url: `https://sparkle.example/${key}`,
  createdAt: new Date(baseMs - (200 - index * 10) * DAY_MS).toISOString(),
}))

/** The clicks, leads and sales of these links in the twelve weeks before the demo's base date. */
export function linkEventLines(): readonly object[] {
  const draw = createDraw(SEED)
  const followed = demoLinks.slice(0, -1) as [DemoLink, ...DemoLink[]]
  return Array.from({ length: EVENTS }, (_, index) => {
    // The first links get the most clicks.
    const { linkId } =
      followed[Math.min(draw.below(followed.length), draw.below(followed.length))] ?? followed[0]
    const event = draw.chance(90) ? 'click' : draw.chance(60) ? 'lead' : 'sale'
    const device = draw.pick(['Mobile', 'Mobile', 'Desktop', 'Tablet'])
    return {
      eventId: `demo-link-event-${String(index + 1).padStart(4, '0')}`,
      linkId,
      occurredAt: new Date(baseMs - draw.below(WEEKS * 7 * DAY_MS)).toISOString(),
      event,
      amountCents: event === 'sale' ? 1500 + draw.below(8) * 500 : null,
      country: draw.chance(95) ? draw.pick(['US', 'US', 'US', 'CA', 'MX']) : null,
      city: draw.chance(80) ? draw.pick(['Austin', 'Dallas', 'Houston', 'Toronto']) : null,
      device,
      browser: draw.pick(['Chrome', 'Safari', 'Safari', 'Firefox', 'Edge']),
      os: device === 'Desktop' ? draw.pick(['Windows', 'macOS', 'Linux']) : draw.pick(['iOS', 'Android']),
      referrer: draw.chance(50) ? draw.pick(['google.com', 'facebook.com', 'mail.example']) : null,
    }
  })
}

import type { DemoContact } from './contacts.ts'
import { createDraw } from '../draw.ts'
import { siteIds } from '../sites.ts'

const COUNT = 60
const SEED = 60_2027

/** The demo's marketing signups as import lines: each by a contact that has an email address. */
export function* signupLines(contacts: readonly DemoContact[]): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  const reachable = contacts.filter(({ email }) => email !== null)
  for (let index = 1; index <= COUNT; index += 1) {
    const contact = reachable[draw.below(reachable.length)]
    if (contact === undefined) return
    const { contactId, email, phone } = contact
    yield {
      signupId: `signup-${String(index).padStart(3, '0')}`,
      contactId,
      email,
      phone,
      siteId: draw.chance(80) ? draw.pick(siteIds) : null,
      source: draw.pick(['website', 'kiosk', 'popup']),
      emailConsent: true,
      smsConsent: phone !== null && draw.chance(60),
      answers: draw.chance(50) ? { interest: draw.pick(['membership', 'offers']) } : {},
      attribution: draw.chance(50) ? { utm_source: draw.pick(['google', 'newsletter']) } : {},
      signedUpAt: draw.instant(),
    }
  }
}

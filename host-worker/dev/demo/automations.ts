import type { DemoContact } from './people/contacts.ts'
import { createDraw } from './draw.ts'

const LIST_ID = 'demo-claims'
const REGULARS_ID = 'demo-regulars'

/** The demo's contact lists: one that its automation fills, and one that is imported. */
export const listLines: readonly object[] = [
  {
    listId: LIST_ID,
    name: 'People with a damage claim',
    type: 'static',
    createdAt: '2025-01-10T12:00:00Z',
  },
  {
    listId: REGULARS_ID,
    name: 'Regulars',
    description: 'Invited to the opening of the rebuilt airport site.',
    type: 'static',
    createdAt: '2025-02-01T12:00:00Z',
  },
]

/** The automation of the damage claim form: it thanks the claimant and adds them to a list. */
export const automationLines: readonly object[] = [
  {
    automationId: 'demo-claim-received',
    name: 'Damage claim received',
    status: 'active',
    trigger: { type: 'form_submission', formId: 'demo-damage-claim' },
    steps: [
      { type: 'add_tag', tag: 'claim' },
      { type: 'add_to_list', listId: LIST_ID },
      {
        type: 'send_email',
        to: 'contact',
        subject: 'We have your claim',
        html: '<p>Thank you. A manager will call you within one working day.</p>',
      },
    ],
    createdAt: '2025-01-10T12:00:00Z',
  },
]

const EVERY = 50
const SEED = 80_2027

/** The members of the demo's list of regulars, as import lines. */
export function* listMemberLines(
  contacts: readonly DemoContact[],
): Generator<Readonly<Record<string, unknown>>> {
  const draw = createDraw(SEED)
  for (const [index, { contactId }] of contacts.entries()) {
    if (index % EVERY === 0) yield { listId: REGULARS_ID, contactId, addedAt: draw.instant() }
  }
}

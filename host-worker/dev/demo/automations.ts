const LIST_ID = 'demo-claims'

/** The demo's contact list, which its automation fills. */
export const listLines: readonly object[] = [
  {
    listId: LIST_ID,
    name: 'People with a damage claim',
    type: 'static',
    createdAt: '2025-01-10T12:00:00Z',
  },
]

/** What follows from a damage claim: the claimant is thanked and put on a list. */
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

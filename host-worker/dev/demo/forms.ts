/** The password of the form `demo-members`. It is not secret: `npm start` prints it. */
export const demoPassword = 'sparkle'

const option = (value: string, label: string) => ({ value, label })

const common = {
  isPublished: true,
  notificationEmails: ['office@example.com'],
  createdAt: '2025-01-10T12:00:00Z',
  publishedAt: '2025-01-12T12:00:00Z',
}

const contactForm = {
  ...common,
  formId: 'demo-contact',
  name: 'Contact us',
  successTitle: 'Thank you',
  successMessage: 'We answer within one working day.',
  publicUrl: 'https://sparkle.example.com/contact',
  fields: [
    { id: 'intro', type: 'heading', label: 'How can we help?' },
    {
      id: 'firstName',
      type: 'short_text',
      label: 'First name',
      required: true,
      maxLength: 100,
      contactField: 'firstName',
    },
    { id: 'lastName', type: 'short_text', label: 'Last name', maxLength: 100, contactField: 'lastName' },
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'phone', type: 'phone', label: 'Phone', contactField: 'phone' },
    {
      id: 'topic',
      type: 'single_choice',
      label: 'Topic',
      options: [
        option('question', 'A question'),
        option('praise', 'Praise'),
        option('complaint', 'A complaint'),
      ],
    },
    { id: 'message', type: 'long_text', label: 'Message', required: true, maxLength: 4000 },
  ],
}

const onlyFor = (field: string, value: string) => ({
  match: 'all',
  rules: [{ field, operator: 'equals', value }],
})

const damageClaim = {
  ...common,
  formId: 'demo-damage-claim',
  name: 'Damage claim',
  successTitle: 'Claim received',
  successMessage: 'A manager will call you.',
  submissionLimitPerContact: 5,
  fields: [
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    { id: 'visitDate', type: 'date', label: 'Day of the visit', required: true, min: '2024-01-01' },
    {
      id: 'damageType',
      type: 'single_choice',
      label: 'What was damaged?',
      required: true,
      options: [
        option('mirror', 'A mirror'),
        option('paint', 'The paint'),
        option('other', 'Something else'),
      ],
    },
    {
      id: 'mirrorSide',
      type: 'single_choice',
      label: 'Which mirror?',
      required: true,
      options: [option('left', 'Left'), option('right', 'Right')],
      visibleWhen: onlyFor('damageType', 'mirror'),
    },
    {
      id: 'description',
      type: 'long_text',
      label: 'What happened?',
      required: true,
      visibleWhen: onlyFor('damageType', 'other'),
    },
    { id: 'estimatedCost', type: 'number', label: 'Estimated cost in dollars', min: 0, max: 100000 },
    {
      id: 'hasReport',
      type: 'boolean',
      label: 'Is there a police report?',
      visibleWhen: {
        match: 'all',
        rules: [{ field: 'estimatedCost', operator: 'greater_than', value: 1000 }],
      },
    },
    { id: 'truthful', type: 'consent', label: 'All of this is true.', required: true },
  ],
}

const members = {
  ...common,
  formId: 'demo-members',
  name: 'Members: change my wash plan',
  password: demoPassword,
  successMessage: 'Your plan changes with the next billing date.',
  fields: [
    { id: 'email', type: 'email', label: 'Email', required: true, contactField: 'email' },
    {
      id: 'licensePlate',
      type: 'short_text',
      label: 'License plate',
      maxLength: 12,
      contactField: 'licensePlate',
    },
    {
      id: 'extras',
      type: 'multiple_choice',
      label: 'Extras',
      options: [option('wax', 'Wax'), option('tires', 'Tire shine'), option('interior', 'Interior')],
    },
  ],
}

const enrollment = {
  ...common,
  formId: 'demo-enrollment',
  name: 'Fleet enrollment',
  fields: [
    { id: 'company', type: 'short_text', label: 'Company', required: true },
    { id: 'registration', type: 'file', label: 'Vehicle registration' },
  ],
}

/** The demo's forms as import lines: a plain one, one with conditions, one with a password, one that must be hosted. */
export const formLines: readonly (Readonly<Record<string, unknown>> & { readonly formId: string })[] = [
  contactForm,
  damageClaim,
  members,
  enrollment,
]

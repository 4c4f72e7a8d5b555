import { collection, newestFirst } from '../record/endpoint.ts'
import { boolean, email, id, nullable, personal, phone, text, timestamp } from '../record/field.ts'
import { idFilter, window } from '../record/filter.ts'
import { orElse, updatedAt } from '../record/resource-field.ts'
import { resource } from '../record/resource.ts'
import { publicAnswers, publishedAnswers, storedAnswers } from './answers.ts'
import { attribution } from '../forms/language/attribution.ts'

export const marketingSignups = resource({
  name: 'MarketingSignup',
  collection: 'marketing-signups',
  description: 'Someone who signed up to be written to, and what they consented to.',
  idField: 'signupId',
  person: { by: 'contactId', carriedIn: ['email', 'phone', 'answers'] },
  removal: true,
  fields: {
    signupId: id(),
    contactId: nullable(id()),
    email: personal(nullable(email())),
    phone: personal(nullable(phone())),
    siteId: nullable(id()),
    source: personal(nullable(text())),
    emailConsent: orElse(boolean(), false),
    smsConsent: orElse(boolean(), false),
    answers: publishedAnswers(),
    attribution: orElse(attribution(), {}),
    signedUpAt: timestamp(),
    updatedAt: updatedAt(),
  },
  hidden: { answers: orElse(storedAnswers(), {}) },
  compute: { answers: publicAnswers },
})

export const listMarketingSignups = collection({
  id: 'marketingSignups.list',
  path: '/api/v1/marketing/signups',
  tag: 'Marketing',
  summary: 'List marketing signups',
  resource: marketingSignups,
  filters: {
    siteId: idFilter('siteId', 'Only signups at this site.'),
    source: idFilter('source', 'Only signups from this source.'),
    ...window('signedUpAt'),
    ...window('updatedAt'),
  },
  order: newestFirst('signedUpAt', 'signupId'),
})

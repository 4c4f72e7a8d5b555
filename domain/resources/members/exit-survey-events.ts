import { id, nullable, personal, text, timestamp } from '../../record/field.ts'
import { updatedAt } from '../../record/resource-field.ts'
import { resource } from '../../record/resource.ts'

/**
 * These rows are imported for the cancellation survey, where no analytics database is configured. No route publishes
 * the rows themselves.
 */
export const exitSurveyEvents = resource({
  name: 'ExitSurveyEvent',
  collection: 'exit-survey-events',
  description: 'A reason that a member picked when canceling in the portal.',
  idField: 'eventId',
  person: { stays: 'a membership leads to no contact, and no address is asked for' },
  fields: {
    eventId: id(),
    membershipId: nullable(id()),
    reasonCode: id(),
    comment: personal(nullable(text())),
    occurredAt: timestamp(),
  },
  hidden: { updatedAt: updatedAt() },
})

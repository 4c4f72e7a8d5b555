import { id, nullable, text, timestamp } from '../contract/field.ts'
import { resource, updatedAt } from '../contract/resource.ts'

/** Imported for the cancellation survey where no analytics database is configured; no route publishes them as they are. */
export const exitSurveyEvents = resource({
  name: 'ExitSurveyEvent',
  collection: 'exit-survey-events',
  description: 'A reason that a member picked when canceling in the portal.',
  idField: 'eventId',
  fields: {
    eventId: id(),
    membershipId: nullable(id()),
    reasonCode: id(),
    comment: nullable(text()),
    occurredAt: timestamp(),
  },
  hidden: { updatedAt: updatedAt() },
})

import type { AnalyticsWorld } from './analytics/world.ts'
import type { SubmissionWorld } from './forms/submit/submit.ts'
import type { MessagingWorld } from './messaging/world.ts'
import type { ReadWorld } from './read/world.ts'

/** Everything outside the domain that answering a request needs. The host assembles one per request. */
export interface World extends ReadWorld, SubmissionWorld, MessagingWorld, AnalyticsWorld {}

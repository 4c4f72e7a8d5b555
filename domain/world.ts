import type { AnalyticsWorld } from './analytics/world.ts'
import type { SubmissionWorld } from './forms/submit/submit.ts'
import type { MessagingWorld } from './messaging/world.ts'
import type { ReadWorld } from './read/world.ts'

/** All ports that the public interface needs. The host assembles one such object for each request. */
export interface World extends ReadWorld, SubmissionWorld, MessagingWorld, AnalyticsWorld {}

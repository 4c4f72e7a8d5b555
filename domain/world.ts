import type { AnalyticsWorld } from './analytics/report.ts'
import type { SubmissionWorld } from './forms/submit.ts'
import type { MessagingWorld } from './messaging/send-to-all.ts'
import type { ReadWorld } from './read/serve.ts'

/** The ports that the interface of organizations needs. The host assembles one such object for each request. */
export interface TenantWorld extends ReadWorld, MessagingWorld, AnalyticsWorld {}

/** All ports that the public interface needs. */
export interface World extends TenantWorld, SubmissionWorld {}

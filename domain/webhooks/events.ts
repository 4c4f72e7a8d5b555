import type { Resource } from '../record/resource.ts'
import { resources } from '../resources/index.ts'

/** The bounds of what is said of a webhook. */
export const DESCRIPTION_MAX_LENGTH = 200
export const FORMS_MAX = 100

/** The maximum number of webhooks of an organization: each of them gets a row and a call for each event. */
export const WEBHOOKS_MAX = 20

/** The event that somebody asks for, to try a webhook. */
export const TEST_EVENT = 'test'

/** What each event tells of, by its word, as the records declare it. */
export const eventResources: ReadonlyMap<string, Resource> = new Map(
  resources.flatMap((resource) =>
    (resource.events ?? []).map((word): readonly [string, Resource] => [word, resource]),
  ),
)

/** The events of which a webhook can be told, besides those that are asked for. */
export const webhookEvents: readonly string[] = [...eventResources.keys()]

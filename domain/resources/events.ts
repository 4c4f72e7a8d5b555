import type { Resource } from '../record/resource.ts'
import { resources } from './index.ts'

/** What each event tells of, by its word, as the records declare it. */
export const eventResources: ReadonlyMap<string, Resource> = new Map(
  resources.flatMap((resource) =>
    (resource.events ?? []).map((word): readonly [string, Resource] => [word, resource]),
  ),
)

/** The events of which a webhook can be told, besides those that are asked for. */
export const webhookEvents: readonly string[] = [...eventResources.keys()]

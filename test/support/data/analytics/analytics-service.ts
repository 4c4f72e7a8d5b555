import { createScratchStorage } from '../../scratch/scratch-storage.ts'
import type { ExitSurveySource } from '../../../../ports/sources.ts'
import { openTestService, type TestService } from '../../services/service.ts'

/** The capabilities that the analytics require. */
export const capable = { analytics: true, retentionOfferAnalytics: true }

/** A service in memory, with another source of the exit survey where one is given. */
export function scratchService(
  changes: { readonly exitSurvey?: ExitSurveySource } = {},
): Promise<TestService> {
  return openTestService((clock) => ({ ...createScratchStorage({ clock }), ...changes }))
}

/** The answer for a path and a key. */
export async function get(service: TestService, path: string, key: string) {
  const response = await service.send(path, { key })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

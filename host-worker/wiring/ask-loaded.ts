import type { SourceFailure } from '../../ports/record-source.ts'

/**
 * Asks an outside source whose adapter is loaded on demand. A source never rejects, so an adapter that cannot be loaded
 * makes it unavailable to this request alone: the next one tries again.
 */
export async function askLoaded<Source, Answer>(
  load: () => Promise<Source>,
  ask: (source: Source) => Promise<Answer>,
): Promise<Answer | SourceFailure> {
  try {
    return await ask(await load())
  } catch (cause) {
    return { kind: 'unavailable', reason: 'the adapter of the source could not be loaded', cause }
  }
}

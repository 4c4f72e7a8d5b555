import type { SourceFailure } from '../../ports/records.ts'

/**
 * Asks an outside source whose adapter is loaded on demand. A source never rejects, so when the adapter cannot be
 * loaded, the source is unavailable to this request only; the next request tries again.
 */
export async function askLoaded<Source, Answer>(
  load: () => Promise<Source>,
  ask: (source: Source) => Promise<Answer>,
): Promise<Answer | SourceFailure> {
  let source: Source
  try {
    source = await load()
  } catch (cause) {
    return { kind: 'unavailable', reason: 'the adapter of the source could not be loaded', cause }
  }
  return ask(source)
}

import type { Immutable, TaggedOperations } from './swagger-ui.ts'

/**
 * A plugin that searches operations for every word that is typed: in their tag, path, summary, description and
 * parameters.
 */
export function searchPlugin(): unknown {
  return { fn: { opsFilter: matching } }
}

function matching(tagged: TaggedOperations, phrase: string): TaggedOperations {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
  return tagged
    .map((group, tag) =>
      group.set(
        'operations',
        group.get('operations').filter((operation) => {
          const text = textOf(tag, operation)
          return words.every((word) => text.includes(word))
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0)
}

function textOf(tag: string, operation: Immutable): string {
  const {
    path,
    method,
    operation: described,
  } = operation.toJS() as {
    readonly path: string
    readonly method: string
    readonly operation: {
      readonly summary?: string
      readonly description?: string
      readonly parameters?: readonly { readonly name?: string }[]
    }
  }
  const { summary, description, parameters = [] } = described
  return [tag, method, path, summary, description, ...parameters.map(({ name }) => name)]
    .join(' ')
    .toLowerCase()
}

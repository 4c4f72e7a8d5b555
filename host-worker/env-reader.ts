/** Reads bindings one by one and collects what is wrong with them. */
export interface Reader {
  /** The text of a variable; empty when it is not set. */
  readonly text: (name: string) => string
  readonly problem: (sentence: string) => void
}

/**
 * A reader of bindings.
 * @param problems gets a sentence for everything that is wrong; it names variables, never their values
 */
export function createReader(bindings: Readonly<Record<string, unknown>>, problems: string[]): Reader {
  return {
    text: (name) => {
      const value = bindings[name] ?? ''
      if (typeof value === 'string') return value
      const problem = `${name} must be text`
      if (!problems.includes(problem)) problems.push(problem)
      return ''
    },
    problem: (sentence) => problems.push(sentence),
  }
}

/** Credentials travel encrypted, or not beyond this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname))
}

/** The root of a provider's API. A variable replaces it where a stand-in or a regional host takes its place. */
export function readUrl(name: string, usual: string, { text, problem }: Reader): string {
  const given = text(name)
  if (given === '') return usual
  const parsed = URL.parse(given)
  if (parsed === null || !isSafeUrl(parsed)) problem(`${name} must be an https URL`)
  return given.replace(/\/+$/, '')
}

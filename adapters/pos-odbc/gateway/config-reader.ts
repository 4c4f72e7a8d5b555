/** Reads a JSON value key by key and collects what is wrong with it, so that all of it can be said at once. */
export class ConfigReader {
  readonly #value: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #problems: string[]
  readonly #read = new Set<string>()

  constructor(value: unknown, path: string, problems: string[]) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject) problems.push(`${path === '' ? 'The configuration' : path} must be an object`)
    this.#value = isObject ? (value as Record<string, unknown>) : {}
    this.#path = path
    this.#problems = problems
  }

  /** Notes a problem with a key. */
  problem(key: string, text: string): void {
    this.#problems.push(`${this.#path === '' ? '' : `${this.#path}.`}${key} ${text}`)
  }

  /** Whether the key is there. */
  has(key: string): boolean {
    return this.#value[key] !== undefined
  }

  /** The value as it stands. */
  raw(key: string): unknown {
    this.#read.add(key)
    return this.#value[key]
  }

  /** A text that is not empty; `fallback` when the key is left out, which is a problem without one. */
  text(key: string, fallback?: string): string {
    const value = this.raw(key)
    if (value === undefined && fallback !== undefined) return fallback
    if (typeof value === 'string' && value !== '') return value
    this.problem(key, value === undefined ? 'is missing' : 'must be a text that is not empty')
    return ''
  }

  /** One of these texts. */
  oneOf<Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]): Choice {
    const value = this.raw(key)
    const choice = choices.find((each) => each === value)
    if (choice === undefined) this.problem(key, `must be one of ${choices.join(', ')}`)
    return choice ?? choices[0]
  }

  /** A whole number within bounds; `fallback` when the key is left out. */
  integer(
    key: string,
    bounds: { readonly min: number; readonly max: number; readonly fallback: number },
  ): number {
    const value = this.raw(key) ?? bounds.fallback
    if (Number.isInteger(value) && (value as number) >= bounds.min && (value as number) <= bounds.max) {
      return value as number
    }
    this.problem(key, `must be a whole number from ${bounds.min} to ${bounds.max}`)
    return bounds.fallback
  }

  /** Notes every key that nothing has read: it is mostly a typo. */
  finish(): void {
    for (const key of Object.keys(this.#value)) {
      if (!this.#read.has(key)) this.problem(key, 'is not a known key here')
    }
  }
}

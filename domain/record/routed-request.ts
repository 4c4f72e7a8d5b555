/** Whose a request turned out to be. */
export interface Identity {
  /** Whose key it came with, or whose form it submitted; null: the platform's. */
  readonly organizationId: string | null
  /** The key that was proven; null where none is asked for. */
  readonly keyId: string | null
}

/** One request, routed: the endpoint is known, nothing else is checked yet. */
export interface RoutedRequest {
  readonly request: Request
  readonly url: URL
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /**
   * Tells the host whose request it is, for its log. Called only with an organization that was verified.
   * @param headers what every answer to the request carries from now on; none when left out
   */
  readonly identified: (identity: Identity, headers?: Readonly<Record<string, string>>) => void
}

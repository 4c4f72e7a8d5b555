/** The organization and the key of a request, once they are known. */
export interface Identity {
  /** The organization of the key, or of the form that was submitted; null: the platform. */
  readonly organizationId: string | null
  /** The key that was proven; null when the endpoint needs none. */
  readonly keyId: string | null
  /** The submission that the request saved or, if it failed, may have saved; left out: none. */
  readonly submissionId?: string
}

/** A request whose endpoint is known. Nothing else of it has been checked yet. */
export interface RoutedRequest {
  readonly request: Request
  readonly url: URL
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /**
   * Tells the host which organization sent the request, for its log. Called only with a verified organization.
   * @param headers headers that every reply to the request has from now on; default: none
   */
  readonly identified: (identity: Identity, headers?: Readonly<Record<string, string>>) => void
}

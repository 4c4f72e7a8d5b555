/** The client's own texts. A site in another language can replace them. */
export interface Messages {
  readonly sending: string
  /** Shown above a list of field errors. */
  readonly checkAnswers: string
  /** Shown when the connection failed or took too long, so that nobody knows whether the answers arrived. */
  readonly unreachable: string
  /** Shown when the response is neither a receipt nor a failure of the service. */
  readonly unreadable: string
}

export const englishMessages: Messages = {
  sending: 'Sending…',
  checkAnswers: 'Your answers were not saved yet. Please check what is marked.',
  unreachable:
    'The connection failed, so it is not known whether your answers arrived. Nothing is sent again by itself. What you typed is still here: check your connection, then send it again.',
  unreadable: 'Something went wrong. It is not known whether your answers were saved.',
}

/** The client's own sentences; a site in another language gives its own. */
export interface Messages {
  readonly sending: string
  /** Above the errors of fields. */
  readonly checkAnswers: string
  /** The connection failed or took too long, so nobody knows whether the answers arrived. */
  readonly unreachable: string
  /** The service answered something that is neither a receipt nor a failure. */
  readonly unreadable: string
}

export const englishMessages: Messages = {
  sending: 'Sending…',
  checkAnswers: 'Your answers were not saved yet. Please check what is marked.',
  unreachable:
    'The connection failed, so it is not known whether your answers arrived. Nothing is sent again by itself. What you typed is still here: check your connection, then send it again.',
  unreadable: 'Something went wrong. It is not known whether your answers were saved.',
}

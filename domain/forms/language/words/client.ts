/** The sentences that the form client says, which come with it: the others are not for a browser. */
export const clientSentences = {
  sending: 'Sending…',
  checkAnswers: 'Your answers were not saved yet. Please check what is marked.',
  unreachable:
    'The connection failed, so it is not known whether your answers arrived. Nothing is sent again by itself. What you typed is still here: check your connection, then send it again.',
  unreadable: 'Something went wrong. It is not known whether your answers were saved.',
  ownerMistake:
    'The form sends something that this service does not take. You cannot correct that, its owner can:',
  noFiles: 'Files cannot be sent with this form. Remove the file, then send the form again.',
} as const

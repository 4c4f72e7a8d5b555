/** The sentences that the form client says, which come with it: the others are not for a browser. */
export const clientSentences = {
  sending: 'Sending…',
  checkAnswers: 'Your answers were not saved yet. Please check what is marked.',
  unreachable:
    'The connection failed, so it is not known whether your answers arrived. Nothing is sent again by itself. What you typed is still here: check your connection, then send it again.',
  unreadable: 'Something went wrong. It is not known whether your answers were saved.',
  required: 'This field is required.',
  oneAnswer: 'Give one answer only.',
  enterNumber: 'Enter a number.',
  numberAtLeast: 'Enter a number of at least {min}.',
  numberAtMost: 'Enter a number of at most {max}.',
  fewerDigits: 'Enter a number of at most {max} digits.',
  noSeparators: 'Enter the number without a separator of thousands, such as 1500 or 1.5.',
  atMostCharacters: 'Use at most {max} characters.',
  unstorable: 'This text has a character that cannot be stored.',
} as const

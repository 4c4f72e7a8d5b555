import { clientSentences } from './client.ts'

/** Everything that the service says to a visitor, and the emails of a form to its people, in English. What stands in braces is replaced by a value. */
export const sentences = {
  ...clientSentences,

  // The form.
  send: 'Send',
  continue: 'Continue',
  password: 'Password',
  optional: '(optional)',
  ifItApplies: '(if it applies)',
  yes: 'Yes',
  no: 'No',
  numberHint: 'A number, such as 1.5',
  successTitle: 'Thank you',
  successMessage: 'Your submission has been received.',

  // What is wrong with an answer, or with what else was sent.
  required: 'This field is required.',
  oneAnswer: 'Give one answer only.',
  enterNumber: 'Enter a number.',
  numberAtLeast: 'Enter a number of at least {min}.',
  numberAtMost: 'Enter a number of at most {max}.',
  fewerDigits: 'Enter a number of at most {max} digits.',
  noSeparators: 'Enter the number without a separator of thousands, such as 1500 or 1.5.',
  atMostCharacters: 'Use at most {max} characters.',
  unstorable: 'This text has a character that cannot be stored.',
  enterText: 'Enter text.',
  enterEmailText: 'Enter an email address as text.',
  enterPhoneText: 'Enter a phone number as text.',
  enterDate: 'Enter a date as YYYY-MM-DD.',
  chooseOne: 'Choose one of the options.',
  chooseSome: 'Choose from the options.',
  chooseAtMost: 'Choose at most {max} options.',
  chooseOnce: 'Choose each option once only.',
  sendList: 'Send a list of options.',
  answerTrueOrFalse: 'Answer true or false.',
  consentRequired: 'Your consent is required.',
  validEmail: 'Enter a valid email address.',
  validPhone: 'Enter a valid phone number.',
  atLeastCharacters: 'Use at least {min} characters.',
  dateFrom: 'Enter a date on or after {min}.',
  dateUntil: 'Enter a date on or before {max}.',
  noSuchField: 'This form has no such field.',
  keyMissing: 'This key is required; send it empty.',
  keyOnce: 'Give this key once.',
  keySingle: 'Give this key once, with a single value.',
  mustBeText: 'This value must be text.',
  onlyTexts: 'Only texts are kept of what the form does not ask for.',
  nameNotKept: 'This name is not kept: use 1 to {max} characters.',
  tooManyKept: 'At most {max} values are kept that the form does not ask for.',

  // Why nothing was saved.
  oneProblem: 'One value needs attention.',
  problems: 'Some values need attention.',
  passwordRequired: 'This form needs a password.',
  passwordWrong: 'The password is wrong.',
  limitReached: 'This form was already submitted as often as it allows.',
  hostedOnly: 'This form can only be completed on its hosted page.',
  tooLarge: 'The request body exceeds {max} bytes.',
  beingChanged: 'The form is being changed. Nothing was saved.',

  // The pages that answer a form without scripts, and the form’s own page.
  pageError: 'Error: {heading}',
  headingAnswers: 'Please check your answers',
  headingPassword: 'This form needs a password',
  headingWrongPassword: 'That password is not right',
  headingLimit: 'You have sent this form before',
  headingHosted: 'This form is completed on another page',
  headingSetup: 'This form is not set up correctly',
  headingTooLarge: 'That is more than this form can take',
  headingAgain: 'Please send the form again',
  nothingSavedOne: 'Nothing was saved yet. One answer needs another look:',
  nothingSaved: 'Nothing was saved yet. {count} answers need another look:',
  andMore: 'and {count} more',
  openFormAt: 'Open the form at {host}',
  backTo: 'Back to {host}',
  goTo: 'Go to {host}',
  howToGoOn: 'How to go on',
  goBack:
    'Go back with your browser’s Back button or gesture: your browser keeps what you typed. Correct it there and send the form again.',
  startAgain: 'Or start again at {host}',
  startAgainLoses: 'What you typed is lost that way.',
  tellOwnerAt:
    'What you typed is still in the form: your browser’s Back button brings you there. Please tell the owner of {host}, or reach them another way.',
  tellOwner:
    'What you typed is still in the form: your browser’s Back button brings you there. Please tell the owner of the site, or reach them another way.',
  hostedBy: 'Please ask {organization} how to reach it.',

  // The emails that tell the form’s people.
  mailTitle: 'New submission: {form}',
  mailSubmitted: 'Submitted {at}. Submission {id}.',
  mailNoAnswers: 'No answers.',
  mailUnsent: 'The form has {count} notification addresses; only the first {max} get an email.',
  digestTitleOne: '{count} new submission: {form}',
  digestTitle: '{count} new submissions: {form}',
  digestWhy: 'So many came within a few minutes that they are reported together.',
  digestNamed: 'Submission {id}.',
  digestMore: 'And {count} more',
} as const

/** A text for every sentence of the service. */
export type Sentences = Readonly<Record<keyof typeof sentences, string>>

import type { Terms } from './term.ts'

/** Names that only the files of imports have. */
export const imports: Terms = {
  'Purchase.processorId': [
    'Identifier at the payment processor, by which an import finds it again.',
    'ch_0042',
  ],
  'Form.notificationEmails': ['Who gets an email about each submission.', ['owner@example.com']],
  'Form.password': ['What visitors must enter, in clear text. It is stored as a hash.'],
  'Form.requireEmailVerification': ['Whether an address must be verified, which needs the hosted page.'],
  'Form.posEnrollment': ['Whether it enrolls at a point of sale, which needs the hosted page.'],
  'Automation.trigger': [
    'What starts it. `formId` names the form of a form submission.',
    { type: 'form_submission', formId: 'demo-contact' },
  ],
  'Automation.steps': [
    'What is done, in order: send_email, send_sms, add_to_list, add_tag.',
    [{ type: 'add_tag', tag: 'asked' }],
  ],
  'ImportedReview.isDeleted': ['Whether it was deleted, so that nobody sees it.', false],
  'ImportedReview.isPreview': ['Whether it is only a preview, which nobody sees.', false],
  'ExitSurveyEvent.reasonCode': ['The reason that was picked.', 'too_expensive'],
}

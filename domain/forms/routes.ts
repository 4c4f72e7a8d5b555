// Apart from their handlers, because every request is told apart by these paths.

const path = '/api/forms/{formId}/submissions'
const load = async () => import('./endpoints.ts')

/** The operations that websites call. Their records are for the contract document alone. */
export const submitOperation = {
  id: 'forms.submit',
  method: 'POST',
  path,
  load: async () => ({ record: (await load()).postSubmission }),
} as const

export const preflightOperation = {
  id: 'forms.preflight',
  method: 'OPTIONS',
  path,
  load: async () => ({ record: (await load()).preflightForm }),
} as const

const submissionPath = new RegExp(`^${path.replace('{formId}', '.*')}/*$`)

/**
 * Whether a path belongs to the submission endpoint, whatever text stands in place of the form's id: when that cannot be
 * the id of a form, the reply is still one that pages of any website may read.
 */
export function isSubmissionPath(pathname: string): boolean {
  return submissionPath.test(pathname)
}

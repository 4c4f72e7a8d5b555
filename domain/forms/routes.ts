import { operationRoute } from '../record/operation/operation-route.ts'

export const submitRoute = operationRoute({
  id: 'forms.submit',
  method: 'POST',
  path: '/api/forms/{formId}/submissions',
  access: 'public',
  errorStyle: 'submission',
})

export const preflightRoute = operationRoute({
  id: 'forms.preflight',
  method: 'OPTIONS',
  path: '/api/forms/{formId}/submissions',
  access: 'public',
  errorStyle: 'submission',
})

const submissionPath = new RegExp(`^${submitRoute.path.replace('{formId}', '.*')}/*$`)

/**
 * Whether a path belongs to the submission endpoint, whatever text stands in place of the form's id: when that cannot be
 * the id of a form, the reply is still one that pages of any website may read.
 */
export function isSubmissionPath(pathname: string): boolean {
  return submissionPath.test(pathname)
}

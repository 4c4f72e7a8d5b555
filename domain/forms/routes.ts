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

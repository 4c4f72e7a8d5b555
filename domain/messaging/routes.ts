import { operationRoute } from '../record/operation/operation-route.ts'

export const messageRoute = operationRoute({
  id: 'message.send',
  method: 'POST',
  path: '/api/v1/message',
  access: 'tenant_or_platform',
  scope: 'send',
})

export const emailRoute = operationRoute({
  id: 'email.send',
  method: 'POST',
  path: '/api/v1/email',
  access: 'tenant_or_platform',
  scope: 'send',
})

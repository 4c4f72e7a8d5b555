import { operationRoute } from '../record/operation/operation-route.ts'

export const contractRoute = operationRoute({
  id: 'contract.get',
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'public',
})

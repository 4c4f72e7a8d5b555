import { contractParts } from '../../../document/contract-endpoint.ts'
import { operation } from '../../../record/operation.ts'

export const getOperatorContract = operation({
  id: 'operatorContract.get',
  method: 'GET',
  path: '/operator/v1/openapi.json',
  access: 'public',
  tag: 'Service',
  ...contractParts,
})

import { publicEndpoints, type operations } from '../../../domain/tenant-api.ts'
import type { OperationEndpoint } from '../../../domain/record/operation.ts'

/** Every endpoint of the public interface. */
export const endpoints = await publicEndpoints()

export const sendMessage = operationOf('message.send')
export const sendEmail = operationOf('email.send')

function operationOf(id: (typeof operations)[number]['id']): OperationEndpoint {
  const found = endpoints.find((endpoint) => endpoint.id === id)
  if (found?.kind !== 'operation') throw new Error(`${id} is no operation`)
  return found
}

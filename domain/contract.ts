import { handled } from './access/serve-operation.ts'
import { endpoints } from './catalog.ts'
import { getContract, serveContract } from './document/contract-endpoint.ts'

/** The contract document with its handler. It needs every declaration, so the first request for it loads them. */
export const contract = handled(getContract, (request) => serveContract(endpoints, request))

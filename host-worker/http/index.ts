/** The service over HTTP, on any platform with Web APIs: whole, or in parts. */
export { createFetchHandler, overTransport, percentDecoded, respond } from './fetch-handler.ts'
export type { Answered, RequestHost } from './fetch-handler.ts'
export * from './service.ts'
export { createWorld, type ServiceWorld, type WorldParts } from './world.ts'
export { backgroundOn, consoleLog, lineLog } from '../system.ts'

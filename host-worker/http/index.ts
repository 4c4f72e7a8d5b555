/** The service over HTTP, on any platform with Web APIs: whole, or in parts. */
export * from './fetch-handler.ts'
export * from './service.ts'
export * from './world.ts'
export { backgroundOn, consoleLog, lineLog } from '../system.ts'

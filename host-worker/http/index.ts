export * from './fetch-handler.ts'

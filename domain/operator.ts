/**
 * The operator interface without a host: its endpoint records, the code that serves them, and how the first key is
 * requested.
 */
export * from './operator-api.ts'
export * from './document/operator-texts.ts'
export type * from './operators/world.ts'
export { proveRootSecret } from './access/operator-credentials.ts'
export { newOrganization } from './organizations/settings.ts'
export { onePlace } from './placement/operators/overview.ts'

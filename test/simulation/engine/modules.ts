/**
 * Loads what the service loads on demand. Reading a file takes as long as it likes, so a run in which a request had to wait
 * for one would not be like the next.
 */
export async function loadOnDemandModules(): Promise<void> {
  await Promise.all([
    import('../../../domain/analytics/handled.ts'),
    import('../../../domain/contract.ts'),
    import('../../../domain/messaging/handled.ts'),
    import('../../../domain/text/phone-number.ts'),
  ])
}

/**
 * Loads the modules that the service loads on demand. The time to read a file varies, so runs in which a request waits
 * for a file would differ.
 */
export async function loadOnDemandModules(): Promise<void> {
  await Promise.all([
    import('../../../domain/analytics/handled.ts'),
    import('../../../domain/contract.ts'),
    import('../../../domain/messaging/handled.ts'),
    import('../../../domain/text/phone-number.ts'),
  ])
}

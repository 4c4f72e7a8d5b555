import { publicEndpoints } from '../../../domain/tenant-api.ts'

/**
 * Loads the modules that the service loads on demand. The time to read a file varies, so runs in which a request waits
 * for a file would differ.
 */
export async function loadOnDemandModules(): Promise<void> {
  await Promise.all([
    publicEndpoints(),
    import('../../../domain/text/phone-number.ts'),
    import('../../../domain/jobs/webhook.ts'),
    import('../../../domain/spam/content.ts'),
  ])
}

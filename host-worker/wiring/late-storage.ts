import { relayed } from '../../domain/relay/relayed.ts'
import type { Background } from '../../ports/platform/background.ts'
import type { ExitSurveySource } from '../../ports/sources/exit-survey-source.ts'
import type { Analytics, TenantAnalytics } from '../../ports/records/analytics.ts'
import type { Meter } from '../../ports/platform/meter.ts'
import type { Env } from '../env/index.ts'
import { askLoaded } from './ask-loaded.ts'

/** Storage that few requests need, so that its statements are loaded on demand. */
export interface LateStorage {
  readonly analytics: Analytics
  readonly exitSurvey: ExitSurveySource
}

/** No I/O before the first call. */
export function openLateStorage(env: Env, meter: Meter, background: Background): LateStorage {
  const load = async () => {
    const { openStorage } = await import('./all-storage.ts')
    return openStorage(env, meter, background)
  }
  return {
    analytics: {
      open: (organizationId) =>
        relayed<TenantAnalytics>(async (ask) => ask((await load()).analytics.open(organizationId))),
    },
    exitSurvey: {
      open: (organizationId) => ({
        countReasons: (range, signal) =>
          askLoaded(load, ({ exitSurvey }) => exitSurvey.open(organizationId).countReasons(range, signal)),
      }),
    },
  }
}

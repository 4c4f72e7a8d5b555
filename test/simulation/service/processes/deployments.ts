import type { SimulatedDatabase } from '../../engine/database.ts'
import type { Decisions } from '../../engine/decisions.ts'
import type { Scheduler } from '../../engine/scheduler.ts'
import type { Trace } from '../../engine/trace.ts'
import { DRAIN_MS } from './fleet.ts'
import type { RootSecrets } from './root-secrets.ts'
import type { RunningService } from './running-service.ts'
import { nextMigration, nextVersion, presentVersion, type Version } from './versions.ts'

/** Deployments of the service, one at a time. Each replaces every process within a minute. */
export interface Deployments {
  /** Deploys the next version, once: the shared database is migrated first, as the manual says. */
  release(): void
  /** Rotates the root secret, only once. Each step of the rotation is a deployment. */
  rotateRootSecret(): void
  isUnderWay(): boolean
  /** The version of a process or object that starts now. During the deployment of the next version it may be either. */
  readonly versionOf: (starting: string) => Version
}

interface Deployed {
  readonly decide: Decisions
  readonly scheduler: Scheduler
  readonly trace: Trace
  readonly database: SimulatedDatabase
  readonly roots: RootSecrets
  /** The running service, which is created after the deployments. */
  readonly service: () => RunningService
}

const DEPLOYMENT_MS = 60_000

export function createDeployments(deployed: Deployed): Deployments {
  const { decide, scheduler, trace, database, roots, service } = deployed
  let isUnderWay = false
  let versions: 'present' | 'either' | 'next' = 'present'
  const deploy = (what: string, afterwards: () => void): void => {
    isUnderWay = true
    trace.say('deployment', `of ${what} begins`)
    for (const isolate of service().fleet.all())
      scheduler.schedule(decide.delayMs(`replacement of ${isolate.name}`, DEPLOYMENT_MS), () => {
        service().fleet.replace(isolate)
      })
    // The next deployment begins when no replaced process is running any more.
    scheduler.schedule(DEPLOYMENT_MS + DRAIN_MS, () => {
      isUnderWay = false
      trace.say('deployment', `of ${what} has ended`)
      afterwards()
    })
  }
  const rotate = (): void => {
    if (roots.advance()) deploy('a new root secret', rotate)
  }
  const endRelease = (): void => {
    versions = 'next'
    for (const isolate of service().fleet.all())
      if (isolate.version.name === 'present') service().fleet.replace(isolate)
    for (const object of service().objects.all()) if (object.runs() === 'present') object.goDown()
  }
  return {
    release() {
      if (isUnderWay || versions !== 'present') return
      database.script(nextMigration.sql)
      versions = 'either'
      deploy('the next version', endRelease)
    },
    rotateRootSecret() {
      if (!isUnderWay) rotate()
    },
    isUnderWay: () => isUnderWay,
    versionOf(starting) {
      if (versions === 'present') return presentVersion
      const isNext = versions === 'next' || !decide.chance(`${starting} starts as before`, 50)
      return isNext ? nextVersion : presentVersion
    },
  }
}

import type { WranglerFile } from '../../local/wrangler-file.ts'
import type { Step } from '../deployment.ts'
import { address } from './address.ts'
import { answers, checks } from './checks.ts'
import { configuration } from './configuration.ts'
import { login } from './login.ts'
import { migrationSteps } from './migrations.ts'
import { operatorKey } from './operator-key.ts'
import { plan } from './plan.ts'
import { resourceSteps } from './resources.ts'
import { rootSecret, settings } from './secrets.ts'
import { upload } from './upload.ts'

/** The steps from an account to a service that answers, in their order. */
export function stepsFor(file: WranglerFile): readonly Step[] {
  return [
    configuration,
    login,
    plan,
    address,
    settings,
    ...resourceSteps(file),
    rootSecret,
    ...migrationSteps(file),
    upload,
    answers,
    operatorKey,
    checks,
  ]
}

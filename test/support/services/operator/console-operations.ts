import { declaredFields } from '../../../../host-worker/console/declared-fields.ts'
import type { operationFields as fields } from '../../../../host-worker/console/app/service/operation-fields.ts'
import type { operationTable as table } from '../../../../host-worker/console/app/service/operation-table.ts'
import { operatorEndpoints } from '../../../../domain/operator-api.ts'

// What the build of the console puts in the place of two of its modules. vitest.config.ts does it for tests: a mock would
// come too late where another file has loaded the client already.

export const operationTable = Object.fromEntries(
  operatorEndpoints.map(({ id, method, path }) => [id, [method, path]]),
) as unknown as typeof table

export const operationFields: typeof fields = declaredFields()

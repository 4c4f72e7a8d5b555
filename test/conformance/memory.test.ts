import { describe, test } from 'vitest'
import { createMemoryStorage } from '../../adapters/memory/index.ts'
import type { MakeStorage } from './index.ts'
import { registerStorageSuite } from './index.ts'

const make: MakeStorage = async (clock) => {
  const storage = createMemoryStorage({ clock })
  return { ...storage, outboxOf: async (organizationId) => storage.outboxOf(organizationId) }
}

describe('memory storage', () => {
  registerStorageSuite(
    {
      test,
      skip: (name, reason) => {
        test.skip(`${name} (${reason})`)
      },
    },
    make,
  )
})

import { expect, test } from 'vitest'
import { posCollections, writtenPosRows } from './index.ts'

test('collections go by the names that their resources give them', () => {
  for (const [name, { resource }] of Object.entries(posCollections)) expect(resource.collection).toBe(name)
  for (const [name, resource] of Object.entries(writtenPosRows)) expect(resource.collection).toBe(name)
})

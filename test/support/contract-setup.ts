import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { exercised, mayBeService } from './contract-seen.ts'

// Runs before each test file. Whatever a test fetches from the service is checked against the contract document, and
// what the file exercised is left for contract-coverage.ts. Most files fetch nothing, so the document waits.
const plainFetch = globalThis.fetch

globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const url = input instanceof Request ? input.url : String(input)
  if (!mayBeService(new URL(url))) return response
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  const { checkResponse } = await import('./contract-check.ts')
  await checkResponse(method.toUpperCase(), url, response)
  return response
}

afterAll(() => {
  writeFileSync(join(inject('contractSeen'), randomUUID()), exercised().join('\n'))
})

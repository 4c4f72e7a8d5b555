import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { exercised, mayBeService } from './contract-seen.ts'

// Runs before each test file. Every answer that a test fetches from the service is checked against the contract
// document, and the exercised operations and statuses are recorded for contract-coverage.ts. Most files fetch nothing,
// so the document is only loaded with the first answer. Files share a process, and therefore `fetch`, which is wrapped
// only once.
const WRAPPED = Symbol.for('contract-checked-fetch')

if (!(WRAPPED in globalThis.fetch))
  globalThis.fetch = Object.assign(checked(globalThis.fetch), { [WRAPPED]: true })

function checked(plainFetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await plainFetch(input, init)
    const url = input instanceof Request ? input.url : String(input)
    if (!mayBeService(new URL(url))) return response
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
    const { checkResponse } = await import('./contract-check.ts')
    checkResponse({ method: method.toUpperCase(), url }, response, await response.clone().text())
    return response
  }
}

afterAll(() => {
  writeFileSync(join(inject('contractSeen'), randomUUID()), exercised().join('\n'))
})

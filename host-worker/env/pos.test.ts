import { expect, test } from 'vitest'
import { readPos } from './index.ts'

const gateway = { POS_GATEWAY_URL: 'https://gateway.example', POS_GATEWAY_SECRET: 's'.repeat(32) }
const POS_LEGACY = { prepare: () => undefined, batch: () => undefined }

function read(bindings: Readonly<Record<string, unknown>>) {
  const problems: string[] = []
  return { settings: readPos(bindings, problems), problems }
}

test('each source may be configured or not', () => {
  expect(read({})).toEqual({ settings: { posGateway: null, posLegacy: null }, problems: [] })
  const { settings, problems } = read({ ...gateway, POS_LEGACY })
  expect(problems).toEqual([])
  expect(settings.posLegacy).toBe(POS_LEGACY)
  expect(settings.posGateway).toEqual({
    url: gateway.POS_GATEWAY_URL,
    secret: gateway.POS_GATEWAY_SECRET,
    service: null,
  })
  expect(read({ ...gateway, POS_GATEWAY_URL: 'http://127.0.0.1:8790' }).problems).toEqual([])
})

test('the gateway may be behind a Workers VPC service, which needs no address', () => {
  const POS_GATEWAY_SERVICE = { fetch: () => undefined }
  const { POS_GATEWAY_SECRET } = gateway
  const { settings, problems } = read({ POS_GATEWAY_SECRET, POS_GATEWAY_SERVICE })
  expect(problems).toEqual([])
  expect(settings.posGateway?.service).toBe(POS_GATEWAY_SERVICE)
  expect(read({ POS_GATEWAY_SERVICE }).problems.join()).toContain('POS_GATEWAY_SECRET is missing')
})

test.each([
  [{ POS_GATEWAY_URL: '' }, 'POS_GATEWAY_URL is missing'],
  [{ POS_GATEWAY_SECRET: '' }, 'POS_GATEWAY_SECRET is missing'],
  [{ POS_GATEWAY_SECRET: 's'.repeat(31) }, 'POS_GATEWAY_SECRET must have at least 32'],
  [{ POS_GATEWAY_SECRET: 7 }, 'POS_GATEWAY_SECRET must be text'],
  [{ POS_GATEWAY_URL: 'http://gateway.example' }, 'POS_GATEWAY_URL must be an https URL'],
  [{ POS_GATEWAY_URL: 'https://gateway.example/pos' }, 'POS_GATEWAY_URL must be an https URL'],
  [{ POS_GATEWAY_URL: 'https://user:word@gateway.example' }, 'POS_GATEWAY_URL must be an https URL'],
  [{ POS_GATEWAY_URL: 'gateway' }, 'POS_GATEWAY_URL must be an https URL'],
  [{ POS_GATEWAY_SERVICE: {} }, 'POS_GATEWAY_SERVICE must be a Workers VPC service'],
  [{ POS_GATEWAY_SERVICE: 'pos' }, 'POS_GATEWAY_SERVICE must be a Workers VPC service'],
  [{ POS_LEGACY: {} }, 'POS_LEGACY must be a D1 database'],
])('%j is a problem that names the variable, not its value', (changes, problem) => {
  const { problems } = read({ ...gateway, ...changes })
  expect(problems.join()).toContain(problem)
  expect(problems.join()).not.toMatch(/ssss|gateway\.example|word/)
})

import type { D1Database } from '@cloudflare/workers-types'
import { SECRET_LENGTH_MIN } from '../adapters/pos-odbc/index.ts'
import { isD1 } from './env-d1.ts'
import { createReader, isSafeUrl } from './env-reader.ts'

/** How the ODBC gateway is reached. */
export interface PosGatewaySettings {
  /** Its address, without a path. */
  readonly url: string
  /** The secret that requests are signed with. */
  readonly secret: string
  /** The way through a Workers VPC service; null: over the internet. */
  readonly service: GatewayService | null
}

/** A Workers VPC service, which takes requests to one port of a private network whatever their host. */
export interface GatewayService {
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** Which point-of-sale sources the service reaches. Null: organizations tied to such a source get 502. */
export interface PosSettings {
  readonly posGateway: PosGatewaySettings | null
  readonly posLegacy: D1Database | null
}

/**
 * Reads the settings of the point-of-sale sources. What is configured by half is a problem.
 * @param problems gets a sentence for everything that is wrong; it names variables, never their values
 */
export function readPos(bindings: Readonly<Record<string, unknown>>, problems: string[]): PosSettings {
  return { posGateway: readGateway(bindings, problems), posLegacy: readLegacy(bindings.POS_LEGACY, problems) }
}

function readGateway(
  bindings: Readonly<Record<string, unknown>>,
  problems: string[],
): PosGatewaySettings | null {
  const { text, problem } = createReader(bindings, problems)
  const service = readService(bindings.POS_GATEWAY_SERVICE, problem)
  const url = text('POS_GATEWAY_URL') || (service === null ? '' : SERVICE_URL)
  const secret = text('POS_GATEWAY_SECRET')
  if (url === '' && secret === '') return null
  if (url === '') problem('POS_GATEWAY_URL is missing: POS_GATEWAY_SECRET is set')
  else if (url !== SERVICE_URL && !isRoot(url)) problem('POS_GATEWAY_URL must be an https URL without a path')
  if (secret === '') problem('POS_GATEWAY_SECRET is missing: the gateway is configured without it')
  else if (secret.length < SECRET_LENGTH_MIN) {
    problem(`POS_GATEWAY_SECRET must have at least ${SECRET_LENGTH_MIN} characters`)
  }
  return { url, secret, service }
}

/** A VPC service ignores the host, but a request needs one. */
const SERVICE_URL = 'http://pos-gateway'

function readService(binding: unknown, problem: (text: string) => void): GatewayService | null {
  if (binding === undefined || binding === '') return null
  const hasFetch = typeof binding === 'object' && binding !== null && 'fetch' in binding
  if (hasFetch && typeof binding.fetch === 'function') return binding as GatewayService
  problem('POS_GATEWAY_SERVICE must be a Workers VPC service binding')
  return null
}

/** Whether requests go to the gateway itself: the path that is signed is the path that it sees. */
function isRoot(url: string): boolean {
  const parsed = URL.parse(url)
  return parsed !== null && isSafeUrl(parsed) && parsed.href === `${parsed.origin}/`
}

function readLegacy(binding: unknown, problems: string[]): D1Database | null {
  if (binding === undefined || binding === '') return null
  if (isD1(binding)) return binding
  problems.push('POS_LEGACY must be a D1 database binding')
  return null
}

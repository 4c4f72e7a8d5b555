import * as v from 'valibot'
import { SECRET_LENGTH_MIN } from '../../adapters/pos-odbc/secret-length.ts'
import {
  binding,
  database,
  group,
  isSafeUrl,
  read,
  text,
  whenSet,
  type Bindings,
  type Problems,
} from './variables.ts'

/** A Workers VPC service. It sends requests to one port of a private network, whatever their host is. */
interface GatewayService {
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** A VPC service ignores the host, but a request needs one. */
const SERVICE_URL = 'http://pos-gateway'

/** Whether a URL has no path of its own, because the path that is signed must be the path that the gateway receives. */
function isRoot(given: string): boolean {
  const url = URL.parse(given)
  return isSafeUrl(url) && url.href === `${url.origin}/`
}

const gateway = {
  POS_GATEWAY_SERVICE: binding<GatewayService>(['fetch'], 'must be a Workers VPC service binding'),
  POS_GATEWAY_URL: v.pipe(text, whenSet(isRoot, 'must be an https URL without a path')),
  POS_GATEWAY_SECRET: v.pipe(
    text,
    v.nonEmpty('is missing: the gateway is configured without it'),
    whenSet(
      ({ length }) => length >= SECRET_LENGTH_MIN,
      `must have at least ${SECRET_LENGTH_MIN} characters`,
    ),
  ),
}

const Gateway = group(
  Object.keys(gateway),
  {},
  v.pipe(
    v.object(gateway),
    v.check(
      ({ POS_GATEWAY_URL, POS_GATEWAY_SERVICE }) => POS_GATEWAY_URL !== '' || POS_GATEWAY_SERVICE !== null,
      'POS_GATEWAY_URL is missing: POS_GATEWAY_SECRET is set',
    ),
    v.transform(({ POS_GATEWAY_URL, POS_GATEWAY_SECRET: secret, POS_GATEWAY_SERVICE: service }) => {
      return { url: POS_GATEWAY_URL === '' ? SERVICE_URL : POS_GATEWAY_URL, secret, service }
    }),
  ),
)

const Legacy = v.object({ POS_LEGACY: database('must be a D1 database binding') })

/**
 * How to reach the ODBC gateway: its address without a path, the secret that signs requests, and how requests are sent.
 */
export type PosGatewaySettings = NonNullable<v.InferOutput<typeof Gateway>>

/** How to reach point-of-sale sources. Null: organizations with such a source get 502. */
export interface PosSettings {
  readonly posGateway: PosGatewaySettings | null
  readonly posLegacy: v.InferOutput<typeof Legacy>['POS_LEGACY']
}

/** Reads the settings of the point-of-sale sources. A partial configuration is a problem. */
export function readPos(bindings: Bindings, problems: Problems): PosSettings {
  return {
    posGateway: read(Gateway, bindings, problems),
    posLegacy: read(Legacy, bindings, problems)?.POS_LEGACY ?? null,
  }
}
